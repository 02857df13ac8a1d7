import { describe, expect, it } from "vitest";
import { createReadiness, isReady, type ReadinessDeps } from "../../../../src/app/services/readiness.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { soleModel } from "../../../support/models/sole-model.ts";

/** A bot that is well, but for what a test breaks. */
function readinessOf(broken: Partial<{ store: object; log: object }> = {}, shared?: ReadinessDeps["shared"]) {
  const clock = createFakeClock();
  const deps: ReadinessDeps = {
    clock,
    store: { ...createMemoryKeyValue(), ...broken.store },
    log: Object.assign(createMemoryTurnLog(clock), broken.log),
    ports: { models: soleModel(scriptedModel([""])) },
    shared,
  };
  return { clock, ready: createReadiness(deps) };
}

const full = () => Promise.reject(new Error("The disk is full. Make room in the data folder."));

describe("readiness", () => {
  it("readiness is reported for a bot that can write and keeps up", async () => {
    const checks = await readinessOf().ready();
    expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
      ["store", true],
      ["log", true],
      ["queue", true],
      ["model", true],
    ]);
    expect(isReady(checks)).toBe(true);
  });

  it.each([
    ["store", { store: { set: full } }],
    ["log", { log: { probe: full } }],
  ])("readiness is not reported when the %s cannot be written", async (name, broken) => {
    const checks = await readinessOf(broken).ready();
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { name, ok: false, detail: "The disk is full. Make room in the data folder." },
    ]);
    expect(isReady(checks)).toBe(false);
  });

  it.each([
    [119_000, true],
    [121_000, false],
  ])("readiness depends on a message that has waited %i ms for a worker: %s", async (age, ok) => {
    const oldest_at = 1_000_000 - age;
    const log = { backlog: async () => ({ queued: 9, running: 8, waiting: 0, oldest_at }) };
    const queue = (await readinessOf({ log }).ready()).find(({ name }) => name === "queue");
    expect(queue?.ok).toBe(ok);
    if (!ok) expect(queue?.detail).toContain("has waited 121 s");
  });

  it.each([
    ["a disk", undefined, "Is the disk overloaded or gone?"],
    [
      "a database",
      { place: "knack on db.example:5432" },
      "Is the database knack on db.example:5432 overloaded, or cut off by the network?",
    ],
  ])("readiness does not wait for %s that hangs", async (_what, shared, suspect) => {
    const { clock, ready } = readinessOf({ log: { probe: () => new Promise(() => {}) } }, shared);
    const checks = await clock.advanceUntil(ready(), 1_000);
    const detail = `No answer within 5 s. ${suspect}`;
    expect(checks.find(({ name }) => name === "log")).toMatchObject({ ok: false, detail });
  });

  it("readiness writes at most once in two seconds, whoever asks", async () => {
    let writes = 0;
    const { clock, ready } = readinessOf({
      log: {
        probe: async () => {
          writes += 1;
        },
      },
    });
    await Promise.all([ready(), ready(), ready()]);
    expect(writes).toBe(1);
    clock.advance(2_000);
    await ready();
    expect(writes).toBe(2);
  });

  it("a bot that is asked for one platform is ready only while that one is connected", () => {
    const checks = [
      { name: "store", ok: true, detail: "writable" },
      { name: "slack", ok: false, detail: "uninstalled", platform: true as const },
      { name: "discord", ok: true, detail: "connected", platform: true as const },
    ];
    expect([isReady(checks), isReady(checks, "discord")]).toEqual([true, true]);
    expect([isReady(checks, "slack"), isReady(checks, "teams")]).toEqual([false, false]);
  });
});
