import { describe, expect, it } from "vitest";
import { isEphemeral } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import type { Clock, KeyValue } from "../../../../src/core/ports/storage.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { StorageError } from "../../../../src/storage/storage-error.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { pendingTurns } from "../../../support/pending-turns.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

/** A log on a disk that is full while `full.now` is true. */
function fillingLog(clock?: Clock) {
  const log = createMemoryTurnLog(clock);
  const full = { now: false };
  const refuse = async () => {
    if (full.now) throw new Error("The disk is full. Make room in the data folder.");
  };
  const filling: TurnLog = {
    ...log,
    accept: async (...call) => refuse().then(() => log.accept(...call)),
    append: async (...call) => refuse().then(() => log.append(...call)),
  };
  return { log, filling, full };
}

describe("a disk that is full", () => {
  it("a full disk refuses a message with the reason and leaves nothing half done", async () => {
    const { filling, full, log } = fillingLog();
    const { app } = createTestApp(scriptedModel(["never"]), { log: filling });
    full.now = true;
    const submitted = await app.submit({ ...home, text: "hello", author: ada });
    expect(submitted).toMatchObject({
      ok: false,
      status: 503,
      message: expect.stringContaining("disk is full"),
    });
    expect(await pendingTurns(log)).toBe(0);
  });

  it("a disk that fills up in a turn keeps the turn and tells watchers, and the turn is answered when there is room", async () => {
    const { filling, full, log } = fillingLog();
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(["the answer"], { gate: () => gate.promise });
    const first = createTestApp(model, { log: filling });
    const turnId = await first.say("hello");
    await first.until(turnId, "turn_started");
    const told = first.until(turnId, "error");
    full.now = true;
    gate.resolve();
    expect(await told).toMatchObject({
      code: "interrupted",
      message: expect.stringContaining("kept"),
    });
    expect((await log.get(turnId))?.status).toBe("running");
    await first.stop(0);
    full.now = false;
    await log.reclaim();
    const next = createTestApp(scriptedModel(["the answer"]), { log });
    expect((await next.events(turnId)).at(-1)).toMatchObject({ outcome: "completed", text: "the answer" });
  });

  it("a full disk does not keep watchers from seeing the end, whenever they join and wherever they resume", async () => {
    const clock = createFakeClock();
    const { filling, full } = fillingLog(clock);
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(["some words of the answer"], { gate: () => gate.promise });
    const { app, say, until, events, log } = createTestApp(model, { log: filling, clock });
    const turnId = await say("hello");
    const before = events(turnId);
    await clock.advanceUntil(until(turnId, "turn_started"), 10);
    const told = until(turnId, "error");
    full.now = true;
    gate.resolve();
    const error = await clock.advanceUntil(told, 10);
    // A stream gives ids of stored events alone.
    expect(isEphemeral(error)).toBe(true);
    const stored = (await log.read(turnId)).map(({ seq }) => seq);
    expect(stored).not.toContain(error.seq);
    const late = events(turnId);
    const eventsAfter = (seq: number) => Array.fromAsync(follow(app, turnId, { after: seq }));
    const rest = eventsAfter(error.seq);
    const ahead = eventsAfter(999_999_999);
    full.now = false;
    const all = await clock.advanceUntil(Promise.all([before, late, rest, ahead]), 1_000);
    for (const seen of all) {
      expect(seen.at(-1)).toMatchObject({ type: "turn_finished", text: "some words of the answer" });
      const seqs = seen.map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    }
    const end = all[0]?.at(-1)?.seq ?? 0;
    expect(await eventsAfter(end)).toEqual([]);
    expect(await eventsAfter(end + 5)).toMatchObject([{ type: "turn_finished" }]);
    expect(await eventsAfter(error.seq)).toMatchObject([{ type: "turn_resumed" }, {}, {}, {}, {}]);
  });
});

/** A store that cannot be read while `away.now` is true. */
function leavingStore() {
  const store = createMemoryKeyValue();
  const away = { now: false };
  const get: KeyValue["get"] = async (key) => {
    if (away.now) throw new StorageError("unavailable", "db", "It restarts", { isTemporary: true });
    return store.get(key);
  };
  return { store: { ...store, get }, away };
}

describe("a store that is away for a while", () => {
  it("a store that is away keeps the turn that needs it, however often that is tried, and the turn is answered later", async () => {
    const clock = createFakeClock();
    const { store, away } = leavingStore();
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([[{ call: "look" }], "the answer"], {
      gate: () => gate.promise,
    });
    const { say, until, events, log } = createTestApp(model, { store, clock });
    const turnId = await say("hello");
    const all = events(turnId);
    await clock.advanceUntil(until(turnId, "round_started"), 10);
    const told = until(turnId, "error");
    away.now = true;
    gate.resolve();
    expect(await clock.advanceUntil(told, 10)).toMatchObject({ code: "interrupted" });
    for (let attempt = 0; attempt < 10; attempt += 1)
      await clock.advanceUntil(new Promise((resolve) => clock.after(20_000, () => resolve(0))), 1_000);
    expect((await log.get(turnId))?.status).toBe("running");
    away.now = false;
    expect((await clock.advanceUntil(all, 1_000)).at(-1)).toMatchObject({
      type: "turn_finished",
      outcome: "completed",
      text: "the answer",
    });
  });
});
