import { describe, expect, it } from "vitest";
import { timeSpent } from "../../../../src/app/turns/turn-runner.ts";
import type { TurnEvent, TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import type { Inbound } from "../../../../src/core/values/inbound.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { answerTurn } from "../../../support/bot/ask-app.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home, type TestApp } from "../../../support/test-app.ts";

const channel = (name: string) => ({ namespace: `console:local:${name}`, thread: `thread-${Math.random()}` });
const never = () => new Promise<void>(() => {});

describe("the wall clock", () => {
  it("a wall clock set forward by an hour does not make the bot run a turn twice", async () => {
    const clock = createFakeClock();
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.text === "slow" ? "slowly" : "at once"), {
      gate: async ({ messages }) => (messages.at(-1)?.text === "slow" ? gate.promise : undefined),
    });
    const { say, until, ask, events, log } = createTestApp(model, { clock });
    const slow = await say("slow");
    await clock.advanceUntil(until(slow, "turn_started"), 10);
    clock.jump(3_600_000);
    expect((await clock.advanceUntil(ask("quick", channel("other")), 10)).end.text).toBe("at once");
    gate.resolve();
    expect((await clock.advanceUntil(events(slow), 10)).at(-1)).toMatchObject({ text: "slowly" });
    expect((await log.read(slow)).map(({ type }) => type)).not.toContain("turn_resumed");
    expect(model.requests.filter(({ messages }) => messages.at(-1)?.text === "slow")).toHaveLength(1);
  });
});

describe("after crashes", () => {
  /** A log whose bot has crashed so often while turns of these channels ran, as soon as it had started. */
  async function crashed(times: number, kind: Inbound["kind"], ...channels: string[]) {
    const log = createMemoryTurnLog();
    for (const name of channels) {
      const text = kind === "command" ? `/skill run ${name} {}` : "go";
      const inbound = { key: name, ...channel(name), author: ada, kind, text };
      await log.accept(inbound, name, Date.now());
    }
    for (let at = 0; at < times; at += 1) {
      for (const name of channels) await log.claim(`dead worker ${at} of ${name}`, 60_000);
      await log.reclaim();
    }
    return log;
  }
  const queueOf = async ({ app }: TestApp) => (await app.ready()).find(({ name }) => name === "queue");

  it("a suspect runs alone for a minute after crashes before the next one begins, and readiness says so", async () => {
    const clock = createFakeClock();
    const model = scriptedModel(["never"], { gate: never });
    const log = await crashed(3, "message", "one", "two");
    const test = createTestApp(model, { log, clock, max_duration_ms: 3_600_000 });
    await test.until("one", "round_started");
    expect(await queueOf(test)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/1 running.* 1 held back after repeated crashes/),
    });
    clock.advance(59_000);
    expect((await log.backlog()).held).toBe(1);
    clock.advance(1_000);
    await test.until("two", "round_started");
    expect((await queueOf(test))?.detail).toBe("2 turns pending (0 queued, 2 running, 0 waiting)");
  });

  it.each(["message", "command"] as const)(
    "a %s that ran alone in five crashes is given up",
    async (kind) => {
      const ran: string[] = [];
      const skill = testSkill("poison", [{ name: "poison", run: () => String(ran.push("poison")) }]);
      const model = scriptedModel(["never"]);
      const test = createTestApp(model, { log: await crashed(5, kind, "poison"), skills: [skill] });
      expect((await test.events("poison")).at(-1)).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("interrupted 5 times"),
      });
      expect([...ran, ...model.requests]).toEqual([]);
    },
  );
});

describe("the time of a turn", () => {
  const at = (ms: number, body: TurnEventBody): TurnEvent => ({ ...body, turn_id: "t", seq: ms, at: ms });
  const started = at(1_000, { type: "turn_started", profile: "p", model: "m" });
  const round = (ms: number) => at(ms, { type: "round_started", round: 1 });
  const resumed = (ms: number) => at(ms, { type: "turn_resumed" });
  const waiting = (ms: number, until: number) => at(ms, { type: "turn_waiting", until });
  it.each<[string, TurnEvent[], number, number]>([
    ["has not begun in the queue", [], 9_000, 0],
    ["counts work", [started, round(3_000)], 3_000, 2_000],
    [
      "does not count from the last event to the claim: the bot was down",
      [started, round(3_000)],
      90_000,
      2_000,
    ],
    [
      "does not count an interruption",
      [started, round(3_000), resumed(50_000), round(51_000)],
      51_000,
      3_000,
    ],
    ["does not count a wait", [started, waiting(2_000, 9_000), resumed(5_000), round(6_000)], 6_000, 2_000],
    ["does not count what the clock was set back by", [started, round(500)], 500, 0],
  ])("the time of a turn is counted: %s", (_what, events, _now, spent) => {
    expect(timeSpent(events)).toBe(spent);
  });

  it("a turn that was down for hours continues with its remaining time", async () => {
    const log = createMemoryTurnLog();
    const then = Date.now() - 3 * 3_600_000;
    const inbound = { key: "k", ...home, author: ada, kind: "message" as const, text: "go" };
    await log.accept(inbound, "left", then);
    await log.claim("dead worker", 60_000);
    await log.append("left", "dead worker", [
      { type: "turn_started", profile: "chat", model: "m", turn_id: "left", seq: 1, at: then },
    ]);
    await log.reclaim();
    const { events } = createTestApp(scriptedModel(["done"]), { log, max_duration_ms: 60_000 });
    expect((await events("left")).at(-1)).toMatchObject({ outcome: "completed", text: "done" });
  });
});

describe("a turn", () => {
  /** A log of which one method is the test's. */
  const logWith = (own: (log: TurnLog) => Partial<TurnLog>, clock?: Clock): TurnLog => {
    const log = createMemoryTurnLog(clock);
    return Object.assign(Object.create(log), own(log));
  };

  it("a turn is not given up for a lease of its earlier run that turns out to be lost", async () => {
    const clock = createFakeClock();
    const [renewing, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const log = logWith(
      (real) => ({
        async renew(...leases) {
          renewing.resolve();
          await late.promise;
          return real.renew(...leases);
        },
      }),
      clock,
    );
    const runs: { signal: AbortSignal; goOn(): void }[] = [];
    const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = async (_: Json, { ask, signal }: ToolContext) => {
      const gate = Promise.withResolvers<void>();
      runs.push({ signal, goOn: gate.resolve });
      began[runs.length - 1]?.resolve();
      await gate.promise;
      return await ask({ text: "Which one?" });
    };
    const skills = [testSkill("asks", [{ name: "asks", run, max_execution_ms: 60_000 }], { active: true })];
    const model = scriptedModel([[{ call: "asks" }], "done"]);
    const { say, until, events, app } = createTestApp(model, { clock, log, skills });
    const id = await say("go");
    await clock.advanceUntil(Promise.all([began[0]?.promise, renewing.promise]), 10);
    runs[0]?.goOn();
    const { question_id } = await clock.advanceUntil(until(id, "question_asked"), 10);
    await clock.advanceUntil(until(id, "turn_waiting"), 10);
    await answerTurn(app, id, question_id, "this one", ada);
    await clock.advanceUntil(began[1]?.promise ?? never(), 10);
    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs[1]?.signal.aborted).toBe(false);
    runs[1]?.goOn();
    expect((await clock.advanceUntil(events(id), 10)).at(-1)).toMatchObject({ text: "done" });
    expect(runs).toHaveLength(2);
  });

  it("a turn that is being claimed at shutdown is left to the next start, and only then the bot has stopped", async () => {
    const [claiming, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const log = logWith((real) => ({
      async claim(...options) {
        claiming.resolve();
        await slow.promise;
        return real.claim(...options);
      },
    }));
    const { say, stop } = createTestApp(scriptedModel(["late"], { gate: never }), { log });
    const id = await say("go");
    await claiming.promise;
    const stopped = stop(0);
    slow.resolve();
    await stopped;
    expect((await log.claim("next start", 1_000))?.turn_id).toBe(id);
  });
});
