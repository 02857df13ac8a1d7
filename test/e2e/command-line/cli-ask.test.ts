import { describe, expect, it } from "vitest";
import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";
import { jsonLines } from "../support/json-lines.ts";
import { expectWholeTurn } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const general = "console:local:general";
const sentence = "The answer to everything is forty-two.";

describe("knack ask", () => {
  const bot = useBot();

  it("`knack ask` prints every event as a line of JSON, turn_finished last, and exits with 0", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
    const { code, stdout } = await home.run(["ask", "hello", "--json"]);
    const events = jsonLines(stdout) as TurnEvent[];
    expectWholeTurn(events);
    expect(events[0]).toMatchObject({ type: "inbound", seq: 0 });
    expect(events.at(-1)).toMatchObject({ type: "turn_finished", outcome: "completed", text: sentence });
    expect(code).toBe(0);
  });

  it("`knack ask` reads the text from standard input, and prints only the answer on stdout", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "from a pipe" }, response: { content: sentence } }]);
    const { code, stdout } = await home.run(["ask", "-"], { stdin: "from a pipe\n" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${sentence}\n` });
  });

  it("`knack ask` exits with 1 and says what to do when the turn fails", async () => {
    const { home, models } = bot();
    const error = { message: "no", type: "authentication_error" };
    await models.add([{ match: { userMessage: "hello" }, response: { error, status: 401 } }]);
    const { code, stdout, stderr } = await home.run(["ask", "hello"]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("OPENAI_API_KEY");
  });

  it("`knack ask` gives up and exits with 1 when the model is away for longer than it waits", async () => {
    const { home, models } = bot();
    await home.write("knack.yaml", "model: { away_minutes: 0.05, retries: 0 }\n");
    const error = { message: "busy", type: "overloaded_error" };
    await models.add([{ match: { userMessage: "hello" }, response: { error, status: 503 } }]);
    const { code, stdout, stderr } = await home.run(["ask", "hello"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The model does not answer \(.*\)\. I'll keep trying until \d\d:\d\d\./);
    expect(stdout + stderr).toContain("so I gave up");
  });

  it("`knack ask` stops the turn at Ctrl-C and exits with 130", async () => {
    const { home, gate } = bot();
    gate.close();
    const asking = home.spawn(["ask", "hello", "--json"]);
    await gate.reached(1);
    asking.signal("SIGINT");
    expect(await asking.exited).toBe(130);
    expect(jsonLines(asking.out()).at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
  });

  it("`knack ask` continues a thread, and the runs are listed", async () => {
    const { home, models, gate } = bot();
    await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
    const thread = ["--thread", "t7", "--namespace", general];
    await home.run(["ask", "hello first", ...thread]);
    await home.run(["ask", "hello again", ...thread]);
    expect(gate.requests.at(-1)?.body).toContain("hello first");
    const { stdout } = await home.run(["runs", "list", "--json", "--namespace", general]);
    const { turns } = JSON.parse(stdout) as {
      turns: { question: string; outcome: string; turn_id: string }[];
    };
    expect(turns).toMatchObject([
      { question: "hello again", outcome: "completed" },
      { question: "hello first", outcome: "completed" },
    ]);
    const shown = await home.run(["runs", "show", turns[0]?.turn_id ?? "", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ turn: { text: sentence } });
    expect((await home.run(["runs", "show", "no-such-run"])).code).toBe(1);
  });

  it("`knack ask` next to a running bot has that bot answer", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "hello" }, response: { content: sentence } }]);
    const { client } = await home.start();
    // Without a model of its own the command could not have answered this itself.
    const { code, stdout } = await home.run(["ask", "hello"], {
      env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${sentence}\n` });
    expect((await client.call("run.list", {})).turns).toMatchObject([{ question: "hello", text: sentence }]);
  });

  it("`knack ask` stops a turn of the running bot at Ctrl-C, and the bot lives on", async () => {
    const { home, gate } = bot();
    gate.close();
    const { client } = await home.start();
    const asking = home.spawn(["ask", "hello", "--json"]);
    await gate.reached(1);
    asking.signal("SIGINT");
    expect(await asking.exited).toBe(130);
    expect((await client.call("run.list", {})).turns).toMatchObject([
      { question: "hello", outcome: "stopped" },
    ]);
  });
});

describe("knack ask with a limit of one round", () => {
  const bot = useBot({ config: "turns: { max_rounds: 1 }" });

  it("`knack ask` with a limit of one round exits with 3 and an answer that says which limit", async () => {
    const { home, models, pages } = bot();
    const input = { skill_id: "web-scraping", params: { url: `${pages.url}/page` } };
    const call = { name: "invoke_skill", arguments: JSON.stringify(input) };
    await models.add([
      { match: { userMessage: "read", hasToolResult: false }, response: { toolCalls: [call] } },
      {
        match: { userMessage: "read", hasToolResult: true },
        response: { content: "So far I read one page." },
      },
    ]);
    const { code, stdout } = await home.run(["ask", "read", "--json"]);
    expect(code).toBe(3);
    const end = jsonLines(stdout).at(-1) as TurnEventOf<"turn_finished">;
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toContain("So far I read one page.");
    expect(end.text).toContain("limit of 1 round");
  });
});
