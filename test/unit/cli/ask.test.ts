import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { fakeBot, finished, problem, turnRoutes } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const answerSchema = z.object({ question_id: z.literal("q1"), text: z.string() });
const tool = { call_id: "c1", tool: "fetch", skill_id: "web", title: "Reading a page" };
const events = [
  { type: "turn_started", profile: "chat", model: "offline" },
  { type: "tool_started", ...tool, input: {} },
  { type: "tool_finished", ...tool, status: "ok", output: {}, duration_ms: 20 },
];

describe("knack ask", () => {
  it.each([
    ["completed", 0],
    ["failed", 1],
    ["limit_reached", 3],
    ["stopped", 130],
  ])("`knack ask` exits for %s with %i, and closes the bot", async (outcome, code) => {
    const bot = fakeBot(turnRoutes([finished(outcome)]));
    expect(await runKnack(["ask", "hi"], { cwd, bot }).code).toBe(code);
    expect(bot.closed).toBe(1);
  });

  it("`knack ask` prints every event as a line of JSON and nothing else", async () => {
    const bot = fakeBot(turnRoutes([...events, finished("completed", "Done.")]));
    const { code, out, err } = runKnack(["ask", "hi", "--json"], { cwd, bot });
    expect(await code).toBe(0);
    const lines = out.text().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      "turn_started",
      "tool_started",
      "tool_finished",
      "turn_finished",
    ]);
    expect(err.text()).toBe("");
  });

  it("`knack ask` puts the answer on stdout and the progress on stderr", async () => {
    const bot = fakeBot(turnRoutes([...events, finished("completed", "**Done.**")]));
    const { code, out, err } = runKnack(["ask", "hi"], { cwd, bot });
    await code;
    expect(out.text()).toBe("**Done.**\n");
    expect(err.text()).toBe("→ Reading a page\n✔ Reading a page\n");
  });

  it("`knack ask` stops the turn on Ctrl-C and exits with 130", async () => {
    const stop = Promise.withResolvers<void>();
    const running = async function* () {
      yield* events.slice(0, 2);
      await stop.promise;
      yield finished("stopped", "Stopped.");
    };
    const bot = fakeBot({
      ...turnRoutes(running()),
      "POST /turns/t1/stop": () => {
        stop.resolve();
        return { stopped: true };
      },
    });
    const { code, err, signal } = runKnack(["ask", "hi"], { cwd, bot });
    await err.shows("Reading a page");
    signal();
    expect(await code).toBe(130);
  });

  it("`knack ask` tells the agent that nobody is there when a script is asked", async () => {
    const answered = Promise.withResolvers<string>();
    const asking = async function* () {
      yield { type: "question_asked", question_id: "q1", text: "Which?", choices: [], expires_at: 9e12 };
      yield finished("completed", await answered.promise);
    };
    const bot = fakeBot({
      ...turnRoutes(asking()),
      "POST /turns/t1/answer": async (request) => {
        answered.resolve(answerSchema.parse(await request.json()).text);
        return { answered: true };
      },
    });
    const { code, out } = runKnack(["ask", "hi"], { cwd, bot });
    expect(await code).toBe(0);
    expect(out.text()).toContain("Nobody is here to answer");
  });

  it("`knack ask` reads the text from standard input for -, and gives the time zone of its writer", async () => {
    const sent: unknown[] = [];
    const routes = turnRoutes([finished("completed")]);
    const accept = routes["POST /turns"];
    const bot = fakeBot({
      ...routes,
      "POST /turns": async (request) => {
        sent.push(await request.clone().json());
        return accept?.(request);
      },
    });
    await runKnack(["ask", "-", "--thread", "th"], { cwd, bot, stdin: "a\nb" }).code;
    const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(sent).toEqual([{ namespace: "console:local:dm", thread: "th", text: "a\nb", time_zone }]);
  });

  it.each([
    [["ask"]],
    [["ask", " "]],
    [["ask", "hi", "--namespace", "nonsense"]],
    [["ask", "hi", "--jsn"]],
    [["aks", "hi"]],
    [["command", "skill list"]],
    [["skills", "run", "x"]],
    [["start", "--port", "70000"]],
    [["start", "--role", "worker"]],
  ])("`knack ask` reports wrong usage with exit 2: %j", async (argv) => {
    const { code, out, err } = runKnack(argv, { cwd });
    expect(await code).toBe(2);
    expect(out.text()).toBe("");
    expect(err.text()).not.toBe("");
  });

  it("`knack ask` says what the bot refused", async () => {
    const bot = fakeBot({ "POST /turns": () => problem(413, "The message is too long.") });
    const { code, err } = runKnack(["ask", "hi"], { cwd, bot });
    expect(await code).toBe(1);
    expect(err.text()).toBe("knack: The message is too long.\n");
    expect(bot.closed).toBe(1);
  });

  it("`knack ask` lists all mistakes of the configuration", async () => {
    const { code, err } = runKnack(["ask", "hi"], { cwd, env: { KNACK_MODEL: "gpt", LOG_LEVEL: "loud" } });
    expect(await code).toBe(1);
    expect(err.text()).toContain("environment KNACK_MODEL: model.choice: expected openai/MODEL");
    expect(err.text()).toContain("environment LOG_LEVEL: log.level: ");
  });
});

describe("a bot that runs already", () => {
  it("`knack ask` asks a running bot over HTTP, with the token, once it tells where it is", async () => {
    const bot = fakeBot(turnRoutes([finished("completed", "From afar.")]));
    const tokens = new Set<string | undefined>();
    const server = createServer(async (incoming, outgoing) => {
      tokens.add(incoming.headers.authorization);
      const request = new Request(`http://127.0.0.1${incoming.url}`, { method: incoming.method ?? "GET" });
      const response = await bot.fetch(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let looks = 0;
    const running = () => {
      looks += 1;
      return { running: true as const, holder: looks < 3 ? undefined : { url, pid: 1 } };
    };
    const { code, out } = runKnack(["ask", "hi"], {
      cwd,
      running,
      env: { KNACK_API_TOKEN: "open-sesame-open-sesame" },
    });
    expect(await code).toBe(0);
    expect(out.text()).toBe("From afar.\n");
    expect([...tokens]).toEqual(["Bearer open-sesame-open-sesame"]);
    server.close();
    server.closeAllConnections();
  });
});
