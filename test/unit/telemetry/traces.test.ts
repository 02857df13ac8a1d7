import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelError } from "../../../src/core/ports/model.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { createRedactor } from "../../../src/core/values/redact.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { createTraces, type Traces } from "../../../src/telemetry/traces.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { approve, stopTurn } from "../../support/bot/ask-app.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../support/test-app.ts";
import {
  type ReceivedSpan,
  startTraceCollector,
  type TraceCollector,
} from "../../support/trace-collector.ts";

let collector: TraceCollector;
let traces: Traces;
let warnings: { fields: object; message: string }[];

/** Traces as a bot makes them. */
function tracesTo(url: string, { clock = systemClock, secrets = [] as string[] } = {}): Traces {
  const quiet = () => undefined;
  const warn = (fields: object, message: string) => void warnings.push({ fields, message });
  const logger = { debug: quiet, info: quiet, error: quiet, warn };
  return createTraces({ url, version: "1.2.3", redact: createRedactor(secrets), clock, logger });
}

/** Ends the traces, so that all spans are sent, and returns these. */
async function sent(): Promise<ReceivedSpan[]> {
  await traces.close();
  return collector.spans();
}

/** Names as a tree: each span with those in it, sorted. */
function treeOf(spans: readonly ReceivedSpan[], parent?: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map((span) => [span.name, ...treeOf(spans, span.spanId)])
    .sort();
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.find((span) => span.name === name);

const count = testSkill("count", [
  { name: "count_words", run: (_, context) => context.invoke("measure", { text: "of marigold" }) },
  {
    name: "count_lines",
    run: () => ({ status: "error", code: "not_isolated", message: "No sandbox for marigold." }),
  },
]);
const measure = testSkill("measure", [{ name: "measure", run: () => "marigold" }]);

beforeEach(async () => {
  warnings = [];
  collector = await startTraceCollector();
  traces = tracesTo(collector.url);
});
afterEach(() => collector[Symbol.asyncDispose]());

describe("the trace of a turn", () => {
  it("the trace of a turn has spans for the turn, its requests to the model and its calls, nested", async () => {
    const usage = { input_tokens: 100, cached_tokens: 60, cache_write_tokens: 20, output_tokens: 7 };
    const model = scriptedModel([[{ call: "count_words" }, { call: "count_lines" }], "Three."], { usage });
    const { ask } = createTestApp(model, { tracer: traces.tracer, skills: [count, measure] });
    const { turnId } = await ask("how many?");
    const spans = await sent();
    expect(treeOf(spans)).toEqual([
      [
        "invoke_agent chat",
        ["chat model"],
        ["chat model"],
        ["execute_tool count_lines"],
        ["execute_tool count_words", ["execute_tool measure"]],
      ],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([turnId.replaceAll("-", "")]));
    expect(named(spans, "invoke_agent chat")).toMatchObject({
      kind: 1,
      status: { code: 0 },
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "chat",
        "gen_ai.request.model": "model",
        "gen_ai.conversation.id": `${home.namespace}/${home.thread}`,
        "gen_ai.usage.input_tokens": 200,
        "gen_ai.usage.output_tokens": 14,
        "knack.turn_id": turnId,
        "knack.namespace": home.namespace,
        "knack.outcome": "completed",
      },
    });
    expect(named(spans, "chat model")).toMatchObject({
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "model",
        "gen_ai.conversation.id": `${home.namespace}/${home.thread}`,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_write.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7,
      },
    });
    expect(named(spans, "execute_tool count_lines")).toMatchObject({
      kind: 1,
      status: { code: 2 },
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "count_lines",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1_1",
        "gen_ai.agent.name": "chat",
        "knack.skill": "count",
        "error.type": "not_isolated",
      },
    });
  });

  it("the trace of a turn has the times of its work", async () => {
    const clock = createFakeClock();
    const slow = testSkill("slow", [
      {
        name: "slow",
        run: async () => {
          clock.advance(2_000);
          return "done";
        },
      },
    ]);
    const model = scriptedModel([[{ call: "slow" }], "Done."], {
      gate: async () => clock.advance(300),
    });
    const { ask } = createTestApp(model, { tracer: traces.tracer, clock, skills: [slow] });
    await ask("go");
    const spans = await sent();
    expect(spans.map(({ name, ms }) => [name, ms])).toEqual([
      ["chat model", 300],
      ["execute_tool slow", 2_000],
      ["chat model", 300],
      ["invoke_agent chat", 2_600],
    ]);
  });

  it("the trace of a turn names the failure of its model", async () => {
    const model = scriptedModel([new ModelError("unauthorized", "The key sk-marigold is wrong.")]);
    const { ask } = createTestApp(model, { tracer: traces.tracer });
    await ask("how many?");
    const spans = await sent();
    expect(
      spans.map(({ name, status, attributes }) => [name, status.code, attributes["error.type"]]),
    ).toEqual([
      ["chat model", 2, "unauthorized"],
      ["invoke_agent chat", 2, "unauthorized"],
    ]);
  });

  it("the trace of a stopped turn is not one of an error, but its request to the model has failed", async () => {
    const asked = Promise.withResolvers<void>();
    const model = scriptedModel(["never"], {
      gate: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const { say, app, events } = createTestApp(model, { tracer: traces.tracer });
    const turnId = await say("how many?");
    await asked.promise;
    await stopTurn(app, turnId, ada);
    await events(turnId);
    const spans = await sent();
    expect(named(spans, "chat model")).toMatchObject({ attributes: { "error.type": "stopped" } });
    expect(named(spans, "invoke_agent chat")).toMatchObject({
      status: { code: 0 },
      attributes: { "knack.outcome": "stopped" },
    });
  });

  it("the trace of a command has no agent", async () => {
    const { ask } = createTestApp(scriptedModel([]), { tracer: traces.tracer, skills: [measure] });
    await ask("/skill run measure");
    expect(treeOf(await sent())).toEqual([["invoke_workflow", ["execute_tool measure"]]]);
  });

  it("the trace of a turn contains nothing that was said, no secret and no name of a person", async () => {
    const secret = "hunter2-hunter2";
    traces = tracesTo(collector.url, { secrets: [secret, "leaky_tool"] });
    const leaky = testSkill("leaky", [{ name: "leaky_tool", run: () => `the result ${secret}` }]);
    const model = scriptedModel([
      [{ call: "leaky_tool", with: { text: "argument-text" } }, { call: "tell_ben_marigold" }],
      "The answer-text.",
    ]);
    const { ask } = createTestApp(model, { tracer: traces.tracer, skills: [leaky], secrets: [secret] });
    await ask(`prompt-text ${secret}`, { by: ben });
    expect((await sent()).map(({ name }) => name).sort()).toEqual([
      "chat model",
      "chat model",
      "execute_tool [secret]",
      "execute_tool unknown",
      "invoke_agent chat",
    ]);
    for (const word of [
      secret,
      "prompt-text",
      "argument-text",
      "answer-text",
      "result",
      "marigold",
      "Ben",
      "leaky_tool",
    ])
      expect(collector.bodies.join()).not.toContain(word);
  });
});

describe("the trace of a turn that is resumed", () => {
  it("the trace of a turn that waits is continued by another process, with one span for the whole turn", async () => {
    const asks = async (_: Json, context: ToolContext) => {
      const { approved } = await context.approve({ action: "send_mail", input: {} });
      return approved ? "sent" : "kept";
    };
    const skill = testSkill("mail", [{ name: "mail", effect: "side_effect", run: asks }]);
    const script = scriptedModel([[{ call: "mail" }], "Done."]);
    const log = createMemoryTurnLog();
    const shared = { log, skills: [skill], tracer: traces.tracer };
    const first = createTestApp(script, shared);
    const turnId = await first.say("go", { by: ben });
    const { approval_id } = await first.until(turnId, "approval_requested");
    await first.until(turnId, "turn_waiting");
    await first.stop(1_000);
    const before = await sent();
    expect(before.map(({ name }) => name)).toEqual(["chat model"]);

    traces = tracesTo(collector.url);
    const second = createTestApp(scriptedModel(["Done."]), { ...shared, tracer: traces.tracer });
    await approve(second.app, approval_id, true, ada);
    await second.events(turnId);
    const spans = await sent();
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([turnId.replaceAll("-", "")]));
    expect(treeOf(spans)).toEqual([
      ["invoke_agent chat", ["chat model"], ["chat model"], ["execute_tool mail"]],
    ]);
  });

  it("the trace of a turn whose bot was killed lacks the request that was interrupted", async () => {
    const log = createMemoryTurnLog();
    const inbound = { key: "k", ...home, author: ada, kind: "message" as const, text: "go" };
    await log.accept(inbound, "left", 1_000);
    await log.claim("dead worker", 60_000);
    await log.append("left", "dead worker", [
      { type: "turn_started", profile: "chat", model: "scripted/model", turn_id: "left", seq: 1, at: 2_000 },
      { type: "round_started", round: 1, turn_id: "left", seq: 2, at: 3_000 },
    ]);
    await log.reclaim();
    const { events } = createTestApp(scriptedModel(["answer"]), { log, tracer: traces.tracer });
    await events("left");
    const spans = await sent();
    expect(treeOf(spans)).toEqual([["invoke_agent chat", ["chat model"]]]);
    expect(named(spans, "chat model")?.ms).toBeLessThan(60_000);
    expect(named(spans, "invoke_agent chat")?.ms).toBeGreaterThan(60_000);
    expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("a collector that does not work", () => {
  it("a collector that refuses spans is reported once, and turns run as usual", async () => {
    await using refusing = await startTraceCollector(400);
    traces = tracesTo(refusing.url);
    const { ask } = createTestApp(scriptedModel(["One.", "Two."]), { tracer: traces.tracer });
    expect((await ask("one?")).end.text).toBe("One.");
    expect((await ask("two?")).end.text).toBe("Two.");
    await traces.close();
    expect(refusing.bodies).not.toEqual([]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining("Traces could not be sent") }]);
  });

  it("a collector that never answers delays the end of the bot by three seconds at most", async () => {
    await using silent = await startTraceCollector("hangs");
    const clock = createFakeClock();
    traces = tracesTo(silent.url, { clock });
    const { ask } = createTestApp(scriptedModel(["One."]), { tracer: traces.tracer });
    await ask("one?");
    const closed = traces.close();
    await silent.got("invoke_agent");
    clock.advance(3_000);
    await closed;
    expect(warnings).toMatchObject([{ message: expect.stringContaining("could not be sent in time") }]);
  });
});

it("a trace names the bot as its service", async () => {
  const { ask } = createTestApp(scriptedModel(["One."]), { tracer: traces.tracer });
  await ask("one?");
  await sent();
  expect(collector.resource()).toMatchObject({
    "service.name": "knack",
    "service.version": "1.2.3",
    "telemetry.sdk.name": "opentelemetry",
  });
});
