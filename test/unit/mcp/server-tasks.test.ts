/** Calls that a server of MCP 2026-07-28 answers with a task. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { writeTrust } from "../../../src/core/decisions/standing-decisions.ts";
import { WorkEnded } from "../../../src/core/values/failure.ts";
import type { ServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { answerTurn, stopTurn } from "../../support/bot/ask-app.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { openBench } from "../../support/skills/mcp-bench.ts";
import { serveModern } from "../../support/skills/mcp-modern-http.ts";
import { createModernServer, TestTasks } from "../../support/skills/mcp-modern-server.ts";
import { ada, createTestApp } from "../../support/test-app.ts";

const requests: ServerRequests = {
  capabilities: { elicitation: { form: {} } },
  async elicit(_server, { message }, context, key) {
    return { action: "accept", content: { name: await context.ask({ text: message, key }) } };
  },
  sample: () => Promise.reject(new Error("not in this test")),
};
const who = {
  method: "elicitation/create",
  params: { mode: "form", message: "Your name?", requestedSchema: { type: "object", properties: {} } },
};
const asking = { status: "input_required" as const, inputRequests: { who } };
const done = (text: string, more: object = {}) => ({
  status: "completed" as const,
  result: { content: [{ type: "text", text }], ...more },
});

let tasks: TestTasks;
let down: boolean;

beforeEach(() => {
  tasks = new TestTasks();
  down = false;
});

/** Tool servers of a bot, with the server of these tasks running. */
async function openServers() {
  const served = await serveModern(
    () => createModernServer(tasks),
    () => down,
  );
  onTestFinished(() => served[Symbol.asyncDispose]());
  const bench = await openBench({ new: { url: served.url } }, { requests });
  onTestFinished(() => bench.close());
  await bench.servers.start("new");
  return bench;
}

const sent = (method: string) => tasks.asked.filter(([asked]) => asked === method);

describe("a call that is a task at its server", () => {
  const cases = [
    ["its result", done("made"), { status: "ok", output: "made" }],
    [
      "structured content",
      done("", { structuredContent: { id: 12_345 } }),
      { status: "ok", output: { id: 12_345 } },
    ],
    [
      "a failure of its tool",
      done("no disk", { isError: true }),
      { code: "tool_failed", message: "no disk" },
    ],
    [
      "an error with its details",
      { status: "failed", error: { code: -32_603, message: "Rate limit", data: { retry: 5 } } },
      { code: "tool_failed", message: 'Rate limit ({"retry":5})' },
    ],
    [
      "that the server cancelled it",
      { status: "cancelled", statusMessage: "Too old." },
      {
        code: "task_cancelled",
        message: "The server cancelled long: Too old. What it had done by then stays done.",
      },
    ],
  ] as const;
  it.each(cases)("a call that is a task is followed, and ends with %s", async (_what, end, result) => {
    const bench = await openServers();
    const notes: string[] = [];
    const call = bench.call("new", "long", {}, { progress: (note) => void notes.push(note) });
    await tasks.next("tasks/get");
    tasks.change(end);
    expect(await call).toMatchObject(result);
    expect(notes[0]).toBe("0 %");
    expect(sent("create")).toHaveLength(1);
  });

  it("a call that is a task says so if the server no longer has it", async () => {
    const bench = await openServers();
    const call = bench.call("new", "long");
    await tasks.next("tasks/get");
    tasks.all.clear();
    expect(await call).toMatchObject({
      code: "task_lost",
      message: expect.stringContaining("Task has expired. Whether it took effect is not known."),
    });
  });

  it("a call that is a task asks each question once and passes the answer on", async () => {
    const bench = await openServers();
    const ask = vi.fn(async () => "Ada");
    const call = bench.call("new", "long", {}, { ask });
    await tasks.next("tasks/get");
    tasks.change(asking);
    await tasks.next("tasks/update");
    await tasks.next("tasks/get");
    await tasks.next("tasks/get");
    tasks.change(done("hello"));
    expect(await call).toMatchObject({ output: "hello" });
    expect(ask).toHaveBeenCalledTimes(1);
    expect(sent("tasks/update")).toEqual([
      ["tasks/update", "task-1", { who: { action: "accept", content: { name: "Ada" } } }],
    ]);
  });

  it("a call that is a task is given up if a request of the task is refused", async () => {
    const bench = await openServers();
    const call = bench.call("new", "long");
    await tasks.next("tasks/get");
    tasks.change({
      status: "input_required",
      inputRequests: {
        text: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
      },
    });
    expect(await call).toMatchObject({ code: "refused" });
    expect(sent("tasks/cancel")).toHaveLength(1);
  });

  it("a call that is a task goes on after the server was away", async () => {
    const bench = await openServers();
    const call = bench.call("new", "long");
    await tasks.next("tasks/get");
    down = true;
    await bench.until("new", "failed");
    down = false;
    tasks.change(done("made"));
    expect(await call).toMatchObject({ status: "ok", output: "made" });
    expect(sent("create")).toHaveLength(1);
  });

  it.each([
    ["is cancelled at the server when its turn is stopped", new WorkEnded("stop_requested"), 1],
    ["goes on at the server when the bot stops", new Error("The bot is stopping"), 0],
  ])("a call that is a task %s", async (_what, reason, cancelled) => {
    const bench = await openServers();
    const turn = new AbortController();
    const call = bench.call("new", "long", {}, { signal: turn.signal });
    await tasks.next("tasks/get");
    const cancel = tasks.next("tasks/cancel");
    turn.abort(reason);
    await expect(call).rejects.toThrow();
    if (cancelled > 0) await cancel;
    await bench.close();
    expect(sent("tasks/cancel")).toHaveLength(cancelled);
  });
});

describe("a turn with a task", () => {
  /** A bot whose model calls `long`; all share one log, as after a restart. */
  async function openBots() {
    const bench = await openServers();
    const { definition = "" } = (await bench.tool("new", "long")).server ?? {};
    await writeTrust(bench.store, "new", { tools: [{ tool: "long", definition }], by: "ada", at: 0 });
    const log = createMemoryTurnLog();
    const model = scriptedModel(({ messages }) => {
      const results = toolResults(messages);
      if (results.length === 0) return [{ call: "activate_skill", with: { skill_name: "@@mcp_new" } }];
      if (results.length === 1) return [{ call: "new__long", with: {} }];
      return `It said: ${results.at(-1)}`;
    });
    return {
      start: () => createTestApp(model, { sources: [bench.source], store: bench.store, log }),
      /** Starts another bot after this one was killed. */
      async restart(bot: ReturnType<typeof createTestApp>) {
        await bot.stop(0);
        await log.reclaim();
        return createTestApp(model, { sources: [bench.source], store: bench.store, log });
      },
    };
  }

  it("a turn with a task follows the same one after the bot was killed", async () => {
    const bots = await openBots();
    const first = bots.start();
    const turnId = await first.say("go");
    await tasks.next("tasks/get");
    const second = await bots.restart(first);
    await tasks.next("tasks/get");
    tasks.change(done("made"));
    expect((await second.events(turnId)).at(-1)).toMatchObject({ text: "It said: made" });
    expect([sent("create").length, sent("tasks/cancel").length]).toEqual([1, 0]);
  });

  it("a turn with a task asks what the task asks once, also across a restart", async () => {
    const bots = await openBots();
    const first = bots.start();
    const turnId = await first.say("go");
    await tasks.next("tasks/get");
    tasks.change(asking);
    const { question_id } = await first.until(turnId, "question_asked");
    await first.until(turnId, "turn_waiting");
    const second = await bots.restart(first);
    await answerTurn(second.app, turnId, question_id, "Ada", ada);
    await tasks.next("tasks/update");
    tasks.change(done("hello"));
    const events = await second.events(turnId);
    expect(events.at(-1)).toMatchObject({ text: "It said: hello" });
    expect(events.filter(({ type }) => type === "question_asked")).toHaveLength(1);
    expect(sent("tasks/update").at(-1)).toEqual([
      "tasks/update",
      "task-1",
      { who: { action: "accept", content: { name: "Ada" } } },
    ]);
    expect(sent("create")).toHaveLength(1);
  });

  it.each(["while it works", "while it asks", "while it asks, after a restart"])(
    "a turn with a task that is stopped %s cancels it at the server",
    async (when) => {
      const bots = await openBots();
      let bot = bots.start();
      const turnId = await bot.say("go");
      await tasks.next("tasks/get");
      if (when !== "while it works") {
        tasks.change(asking);
        await bot.until(turnId, "turn_waiting");
      }
      if (when.endsWith("restart")) bot = await bots.restart(bot);
      const cancelled = tasks.next("tasks/cancel");
      await stopTurn(bot.app, turnId, ada);
      await cancelled;
      expect((await bot.events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
    },
  );
});
