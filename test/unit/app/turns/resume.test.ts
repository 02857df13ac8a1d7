import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

/** A log as a killed process leaves it: the message accepted, claimed, and these events written. */
async function logLeftBehind(events: readonly TurnEventBody[]): Promise<TurnLog> {
  const log = createMemoryTurnLog();
  const inbound = { key: "k", ...home, author: ada, kind: "message" as const, text: "go" };
  await log.accept(inbound, "left", Date.now());
  await log.claim("dead worker", 60_000);
  const stamped = events.map((event, index) => ({
    ...event,
    turn_id: "left",
    seq: index + 1,
    at: Date.now(),
  }));
  await log.append("left", "dead worker", stamped);
  await log.reclaim();
  return log;
}

const started: TurnEventBody[] = [
  { type: "turn_started", profile: "chat", model: "scripted/model" },
  { type: "round_started", round: 1 },
];
const asksFor = (...calls: [id: string, name: string][]): TurnEventBody => ({
  type: "model_message",
  round: 1,
  model: "scripted/model",
  message: {
    role: "assistant",
    text: "",
    tool_calls: calls.map(([id, name]) => ({ id, name, arguments: "{}" })),
  },
});
const toolStarted = (call_id: string, tool: string): TurnEventBody => ({
  type: "tool_started",
  call_id,
  tool,
  title: tool,
  skill_id: "s",
  input: {},
});
const toolFinished = (call_id: string, tool: string, output: string): TurnEventBody => ({
  type: "tool_finished",
  call_id,
  tool,
  status: "ok",
  output,
  duration_ms: 1,
});

function countingSkill() {
  const ran: string[] = [];
  const run = (name: string) => () => {
    ran.push(name);
    return `${name} ran again`;
  };
  const skill = testSkill(
    "s",
    [
      { name: "look", run: run("look") },
      { name: "put", effect: "idempotent", run: run("put") },
      { name: "send", effect: "side_effect", run: run("send") },
    ],
    { active: true },
  );
  return { skill, ran };
}

describe("a turn whose worker was killed", () => {
  it("a turn killed before the model was asked is run", async () => {
    const { events } = createTestApp(scriptedModel(["answer"]), { log: await logLeftBehind([]) });
    expect((await events("left")).at(-1)).toMatchObject({ outcome: "completed", text: "answer" });
  });

  it("a turn killed while the model answered asks it again and voids what was shown", async () => {
    const { events } = createTestApp(scriptedModel(["answer"]), { log: await logLeftBehind(started) });
    const all = await events("left");
    expect(all.filter((event) => event.type === "turn_started")).toHaveLength(1);
    expect(all.filter((event) => event.type === "turn_resumed")).toHaveLength(1);
    expect(all.at(-1)).toMatchObject({ text: "answer" });
  });

  it("a turn killed after a tool had finished does not run it again [log-1]", async () => {
    const { skill, ran } = countingSkill();
    const model = scriptedModel(["done"]);
    const log = await logLeftBehind([
      ...started,
      asksFor(["a", "send"], ["b", "look"]),
      toolStarted("a", "send"),
      toolFinished("a", "send", "sent"),
    ]);
    const { events } = createTestApp(model, { log, skills: [skill] });
    expect((await events("left")).at(-1)).toMatchObject({ text: "done" });
    expect(ran).toEqual(["look"]);
    expect(toolResults(model.requests[0]?.messages ?? [])).toEqual(["sent", "look ran again"]);
  });

  it("a turn killed within a call whose tool is gone at the restart reports its outcome as unknown", async () => {
    const model = scriptedModel(["done"]);
    const calls = asksFor(["a", "send"], ["b", "look"]);
    const sending = { ...toolStarted("a", "send"), effect: "side_effect" as const };
    const looking = { ...toolStarted("b", "look"), effect: "read_only" as const };
    const log = await logLeftBehind([...started, calls, sending, looking]);
    const all = await createTestApp(model, { log }).events("left");
    const ends = all.filter((event) => event.type === "tool_finished");
    expect(ends.toSorted((a, b) => a.call_id.localeCompare(b.call_id))).toMatchObject([
      { call_id: "a", output: { code: "outcome_unknown" } },
      { call_id: "b", output: { code: "unknown_tool" } },
    ]);
  });

  it("a turn killed while tools ran repeats those that may repeat, and reports the others' outcome as unknown [turn-2]", async () => {
    const { skill, ran } = countingSkill();
    const model = scriptedModel(["done"]);
    const log = await logLeftBehind([
      ...started,
      asksFor(["a", "look"], ["b", "put"], ["c", "send"]),
      toolStarted("a", "look"),
      toolStarted("b", "put"),
      toolStarted("c", "send"),
    ]);
    const { events } = createTestApp(model, { log, skills: [skill] });
    const all = await events("left");
    expect(ran.toSorted()).toEqual(["look", "put"]);
    expect(all.find((event) => event.type === "tool_finished" && event.call_id === "c")).toMatchObject({
      output: { code: "outcome_unknown" },
    });
    expect(all.filter((event) => event.type === "tool_started")).toHaveLength(3);
    expect(all.filter((event) => event.type === "tool_finished")).toHaveLength(3);
  });

  it("a turn killed within a skill answers finished steps from the journal", async () => {
    const ran: string[] = [];
    const skill = testSkill(
      "s",
      [
        {
          name: "look",
          run: async (_input, context) => {
            const first = await context.step("fetch", () => {
              ran.push("fetch");
              return "fresh";
            });
            const second = await context.step("fetch", () => {
              ran.push("fetch again");
              return "second";
            });
            return `${first} ${second}`;
          },
        },
      ],
      { active: true },
    );
    const model = scriptedModel(["done"]);
    const journal: TurnEventBody = { type: "step_finished", call_id: "a", step: "fetch#1", result: "kept" };
    const log = await logLeftBehind([...started, asksFor(["a", "look"]), toolStarted("a", "look"), journal]);
    const { events } = createTestApp(model, { log, skills: [skill] });
    await events("left");
    expect(ran).toEqual(["fetch again"]);
    expect(toolResults(model.requests[0]?.messages ?? [])).toEqual(["kept second"]);
  });

  it("a turn killed between logging its answer and finishing is finished without asking again [turn-4]", async () => {
    const model = scriptedModel(["second answer"]);
    const answer: TurnEventBody = {
      type: "model_message",
      round: 1,
      model: "scripted/model",
      message: { role: "assistant", text: "first answer", tool_calls: [] },
    };
    const { events } = createTestApp(model, { log: await logLeftBehind([...started, answer]) });
    expect((await events("left")).at(-1)).toMatchObject({ outcome: "completed", text: "first answer" });
    expect(model.requests).toHaveLength(0);
  });

  it("a turn killed again and again is given up in the end", async () => {
    const model = scriptedModel(["never"]);
    const log = await logLeftBehind([...started, asksFor(["a", "look"]), toolStarted("a", "look")]);
    for (const crash of [2, 3, 4, 5]) {
      await log.claim(`dead worker ${crash}`, 60_000);
      await log.reclaim();
    }
    const { events } = createTestApp(model, { log });
    const all = await events("left");
    expect(all.at(-1)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("interrupted 5 times"),
    });
    expect(all.filter((event) => event.type === "tool_finished")).toHaveLength(1);
  });

  it("a turn of a stopping bot is left to the next start", async () => {
    const log = createMemoryTurnLog();
    const hanging = createTestApp(scriptedModel(["never"], { gate: () => new Promise(() => {}) }), { log });
    const turnId = await hanging.say("think");
    await hanging.until(turnId, "turn_started");
    await hanging.stop(10);
    expect((await log.get(turnId))?.status).not.toBe("finished");
    await log.reclaim();
    const next = createTestApp(scriptedModel(["answer after restart"]), { log });
    expect((await next.events(turnId)).at(-1)).toMatchObject({ text: "answer after restart" });
  });

  it("a turn is not given up however often the bot was stopped in order", async () => {
    const log = createMemoryTurnLog();
    const hanging = () => scriptedModel(["never"], { gate: () => new Promise(() => {}) });
    let test = createTestApp(hanging(), { log });
    const turnId = await test.say("think");
    await test.until(turnId, "turn_started");
    for (const _restart of [1, 2, 3, 4, 5, 6]) {
      await test.stop(0);
      await log.reclaim();
      const before = (await log.read(turnId)).at(-1)?.seq ?? -1;
      test = createTestApp(hanging(), { log });
      const next = await follow(test.app, turnId, { after: before }).next();
      expect(next.value).toMatchObject({ type: "turn_resumed" });
    }
    await test.stop(0);
    await log.reclaim();
    const last = createTestApp(scriptedModel(["answer in the end"]), { log });
    expect((await last.events(turnId)).at(-1)).toMatchObject({ text: "answer in the end" });
  });
});
