import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { Model, ModelEvent } from "../../../../src/core/ports/model.ts";
import { openPostgresStores } from "../../../../src/wiring/open-postgres-stores.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { stopTurn } from "../../../support/bot/ask-app.ts";
import { type ScriptedModelOptions, scriptedModel } from "../../../support/models/scripted-model.ts";
import { needs } from "../../../support/needs.ts";
import { freshDatabase } from "../../../support/postgres.ts";
import { ada, createTestApp, home, type TestApp } from "../../../support/test-app.ts";

const leaseMs = 1_000;

/** Apps on one database, as processes have them. */
async function createProcesses() {
  const url = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), "knack-shared-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return async (
    id: string,
    gate: ScriptedModelOptions["gate"],
    runsTurns = true,
    given?: Model,
  ): Promise<TestApp> => {
    const closers: (() => Promise<unknown>)[] = [];
    const opening = { closers, upgraded: () => {}, warn: () => {} };
    const self = { role: runsTurns ? "worker" : "gateway", id, version: "1" } as const;
    const stores = await openPostgresStores({ url, folder, clock: systemClock }, opening, self);
    const model = given ?? scriptedModel(["one two three four"], gate === undefined ? {} : { gate });
    const app = createTestApp(model, { ...stores, owner: id, lease_ms: leaseMs, runsTurns });
    onTestFinished(async () => {
      await app.stop(0);
      for (const close of closers.reverse()) await close();
    });
    return app;
  };
}

/** A model that says something and then waits. */
function talking(until: Promise<void>): Model {
  return {
    ...scriptedModel([]),
    async *stream(): AsyncGenerator<ModelEvent> {
      yield { type: "text", text: "so far" };
      await until;
      const message = { role: "assistant", text: "so far", tool_calls: [] as never[] } as const;
      yield { type: "finished", message, usage: { input_tokens: 1, output_tokens: 1 }, model: "m" };
    },
  };
}

describe("a turn that another process runs", needs("postgresql"), () => {
  it("a turn accepted by a gateway runs in a worker, and is followed at the gateway with its live text", async () => {
    const start = await createProcesses();
    const gateway = await start("gateway", undefined, false);
    const writing = Promise.withResolvers<void>();
    const worker = await start("worker", undefined, true, talking(writing.promise));
    const watching = new AbortController();
    const watched = await gateway.app.watch(home.namespace, watching.signal);
    const turnId = await gateway.say("hello");
    const seen: TurnEvent[] = [];
    for await (const item of watched) {
      if (item.kind !== "event") continue;
      seen.push(item.event);
      if (item.event.type === "text_delta") writing.resolve();
      if (item.event.type === "turn_finished") break;
    }
    watching.abort();
    const stored = await worker.events(turnId);
    expect(seen.filter(({ type }) => type !== "text_delta")).toEqual(stored);
    expect(seen.filter(({ type }) => type === "text_delta")).toMatchObject([{ text: "so far" }]);
    expect(await gateway.events(turnId)).toEqual(stored);
  });

  it("a watcher who joins late gets the text so far", async () => {
    const start = await createProcesses();
    const gateway = await start("gateway", undefined, false);
    const writing = Promise.withResolvers<void>();
    const worker = await start("worker", undefined, true, talking(writing.promise));
    const turnId = await gateway.say("hello");
    await worker.until(turnId, "text_delta");
    const late = gateway.until(turnId, "text_delta");
    expect((await late).text).toBe("so far");
    writing.resolve();
    expect((await gateway.events(turnId)).at(-1)).toMatchObject({ text: "so far" });
  });

  it("a stop reaches the worker at once", async () => {
    const start = await createProcesses();
    const gateway = await start("gateway", undefined, false);
    const worker = await start("worker", () => new Promise(() => {}));
    const turnId = await gateway.say("hello");
    await worker.until(turnId, "round_started");
    const asked = performance.now();
    await stopTurn(gateway.app, turnId, ada);
    const events = await gateway.events(turnId);
    expect(events.at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
    expect(performance.now() - asked).toBeLessThan(leaseMs / 3);
  });
});
