import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { jsonLines } from "../support/json-lines.ts";
import { expectWholeTurn } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";
import { nextTo } from "../support/use-home.ts";

const general = "console:local:general";
const sentence = "The answer to everything is forty-two.";

describe("knack ask without a running bot", () => {
  const bot = useBot({ shared: true });

  it("`knack ask` reads the text from standard input, and prints every event as a line of JSON, turn_finished last", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "from a pipe" }, response: { content: sentence } }]);
    const { code, stdout } = await home.run(["ask", "-", "--json"], { stdin: "from a pipe\n" });
    const events = jsonLines(stdout) as TurnEvent[];
    expectWholeTurn(events);
    expect(events[0]).toMatchObject({ type: "inbound", seq: 0 });
    expect(events.at(-1)).toMatchObject({ type: "turn_finished", outcome: "completed", text: sentence });
    expect(code).toBe(0);
  });

  it("`knack ask` gives up and exits with 1 when the model is away for longer than it waits", async () => {
    const { home, models } = bot();
    await home.write("away.yaml", "model: { away_minutes: 0.05, retries: 0 }\n");
    const error = { message: "busy", type: "overloaded_error" };
    await models.add([{ match: { userMessage: "away" }, response: { error, status: 503 } }]);
    const { code, stdout, stderr } = await home.run(["ask", "away"], { env: { KNACK_CONFIG: "away.yaml" } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/The model does not answer \(.*\)\. I'll keep trying until \d\d:\d\d [^ .]+\./);
    expect(stdout + stderr).toContain("so I gave up");
  });

  it("`knack ask` stops the turn at Ctrl-C and exits with 130", async () => {
    const { home, gate } = bot();
    gate.close();
    onTestFinished(() => gate.open());
    const before = gate.requests.length;
    const asking = home.spawn(["ask", "hello", "--json"]);
    await gate.reached(before + 1);
    asking.signal("SIGINT");
    expect(await asking.exited).toBe(130);
    gate.open();
    expect(jsonLines(asking.out()).at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
  });

  it("`knack ask` with a limit of one round exits with 3 and an answer that says which limit", async () => {
    const { home, models, pages } = bot();
    await home.write("limit.yaml", "turns: { max_rounds: 1 }\n");
    const input = { skill_id: "web-scraping", params: { url: `${pages.url}/page` } };
    const call = { name: "invoke_skill", arguments: JSON.stringify(input) };
    await models.add([
      { match: { userMessage: "read", hasToolResult: false }, response: { toolCalls: [call] } },
      {
        match: { userMessage: "read", hasToolResult: true },
        response: { content: "So far I read one page." },
      },
    ]);
    const { code, stdout } = await home.run(["ask", "read", "--json"], {
      env: { KNACK_CONFIG: "limit.yaml" },
    });
    expect(code).toBe(3);
    const end = jsonLines(stdout).at(-1) as TurnEventOf<"turn_finished">;
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toContain("So far I read one page.");
    expect(end.text).toContain("limit of 1 round");
  });
});

describe("knack ask next to a running bot", () => {
  const bot = useBot({ shared: true });
  let running: BotProcess;
  beforeAll(async () => {
    running = await bot().home.start();
  });
  const turnsIn = async (namespace: string) => (await running.client.call("run.list", { namespace })).turns;

  it("`knack ask` has the running bot answer, and prints only the answer on stdout", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "hello you" }, response: { content: sentence } }]);
    const namespace = "console:local:answered";
    // Without a model of its own the command could not have answered this itself.
    const { code, stdout } = await home.run(["ask", "hello you", "--namespace", namespace], {
      env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${sentence}\n` });
    expect(await turnsIn(namespace)).toMatchObject([{ question: "hello you", text: sentence }]);
  });

  it("`knack ask` exits with 1 and says what to do when the turn fails", async () => {
    const { home, models } = bot();
    const error = { message: "no", type: "authentication_error" };
    await models.add([{ match: { userMessage: "refused" }, response: { error, status: 401 } }]);
    const { code, stdout, stderr } = await home.run(["ask", "refused"]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("OPENAI_API_KEY");
  });

  it("`knack ask` stops a turn of the running bot at Ctrl-C, and the bot lives on", async () => {
    const { home, gate } = bot();
    const fits = ({ body }: { body: string }) => body.includes("stop me");
    gate.close(fits);
    onTestFinished(() => gate.open());
    const namespace = "console:local:stopped";
    const asking = home.spawn(["ask", "stop me", "--json", "--namespace", namespace]);
    await gate.reached(1, fits);
    asking.signal("SIGINT");
    expect(await asking.exited).toBe(130);
    gate.open();
    expect(await turnsIn(namespace)).toMatchObject([{ question: "stop me", outcome: "stopped" }]);
  });

  it("`knack ask` continues a thread, and the runs are listed", async () => {
    const { models, gate } = bot();
    const home = nextTo(running, bot().home);
    await models.add([{ match: { userMessage: "greetings" }, response: { content: sentence } }]);
    const thread = ["--thread", "t7", "--namespace", general];
    await home.run(["ask", "greetings first", ...thread]);
    await home.run(["ask", "greetings again", ...thread]);
    expect(gate.requests.at(-1)?.body).toContain("greetings first");
    const { stdout } = await home.run(["runs", "list", "--json", "--namespace", general]);
    const { turns } = JSON.parse(stdout) as {
      turns: { question: string; outcome: string; turn_id: string }[];
    };
    expect(turns.slice(0, 2)).toMatchObject([
      { question: "greetings again", outcome: "completed" },
      { question: "greetings first", outcome: "completed" },
    ]);
    const shown = await home.run(["runs", "show", turns[0]?.turn_id ?? "", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ turn: { text: sentence } });
    expect((await home.run(["runs", "show", "no-such-run"])).code).toBe(1);
  });
});
