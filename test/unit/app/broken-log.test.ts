import { describe, expect, it } from "vitest";
import type { TurnLog } from "../../../src/core/turn-log.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { ada, createTestApp, home } from "../../support/test-app.ts";

/** A log on a disk that is full while `full.now` is true. */
function fillingLog() {
  const log = createMemoryTurnLog();
  const full = { now: false };
  const refuse = async () => {
    if (full.now) throw new Error("The disk is full. Make room in the data folder.");
  };
  const filling: TurnLog = {
    ...boundMethods(log),
    accept: async (...call) => refuse().then(() => log.accept(...call)),
    append: async (...call) => refuse().then(() => log.append(...call)),
  };
  return { log, filling, full };
}

function boundMethods(log: TurnLog): TurnLog {
  return new Proxy({} as TurnLog, {
    ownKeys: () => Reflect.ownKeys(Object.getPrototypeOf(log)).filter((key) => key !== "constructor"),
    getOwnPropertyDescriptor: (_target, key) => ({
      value: (log[key as keyof TurnLog] as () => unknown).bind(log),
      enumerable: true,
      configurable: true,
    }),
    get: (_target, key) => (log[key as keyof TurnLog] as () => unknown).bind(log),
  });
}

describe("a disk that is full", () => {
  it("refuses a message with the reason, and nothing is half done", async () => {
    const { filling, full, log } = fillingLog();
    const { app } = createTestApp(scriptedModel(["never"]), { log: filling });
    full.now = true;
    const submitted = await app.submit({ ...home, text: "hello", author: ada });
    expect(submitted).toMatchObject({
      ok: false,
      status: 503,
      message: expect.stringContaining("disk is full"),
    });
    expect(await log.pending()).toBe(0);
  });

  it("in the middle of a turn keeps it, tells those who watch, and it is answered when there is room", async () => {
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
});
