import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { KeyValue } from "../../../src/core/ports/storage.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { keepLogMarked } from "../../../src/storage/sqlite/log-mark.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { createTestApp } from "../../support/test-app.ts";

let folder: string;
let path: string;
let storePath: string;
const opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-durable-"));
  path = join(folder, "turns.db");
  storePath = join(folder, "state.db");
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

async function openLog(options: Parameters<typeof openSqliteTurnLog>[1]) {
  const log = await openSqliteTurnLog(path, options);
  opened.push(log);
  return log;
}
async function openStore(options: Parameters<typeof openKeyValue>[1]): Promise<KeyValue> {
  const store = await openKeyValue(storePath, options);
  opened.push(store);
  return store;
}

/** A disk whose syncs end when the test says so. */
function slowDisk() {
  const waiting: (() => void)[] = [];
  const state = { syncs: 0, free: false };
  const sync = async () => {
    state.syncs += 1;
    if (!state.free) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    sync,
    state,
    /** Resolves when that many syncs have begun. */
    begun: (count: number) => expect.poll(() => state.syncs).toBe(count),
    /** Ends the syncs under way. */
    finish() {
      for (const resolve of waiting.splice(0)) resolve();
    },
    /** All syncs end at once from now on. */
    speedUp() {
      state.free = true;
      this.finish();
    },
  };
}

/** Whether a promise has settled, once everything that needs no disk is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("what is acknowledged", () => {
  test("an acknowledgement means that an accepted message, a known key and a signal are on the disk", async () => {
    const disk = slowDisk();
    const log = await openLog({ sync: disk.sync });
    const accepted = log.accept(inbound("k1"), "t1", 1);
    await disk.begun(1);
    const again = log.accept(inbound("k1"), "t2", 1);
    expect(await isSettled(accepted)).toBe(false);
    expect(await isSettled(again)).toBe(false);
    disk.finish();
    expect(await accepted).toEqual({ turn_id: "t1", accepted: true });
    expect(await again).toEqual({ turn_id: "t1", accepted: false });
    const signalled = log.signal("t1", { type: "stop", by: "ada" }, 2);
    await disk.begun(2);
    expect(await isSettled(signalled)).toBe(false);
    disk.speedUp();
    expect(await signalled).toBe(true);
    // Nothing was written since.
    await log.durable();
    expect(disk.state.syncs).toBe(2);
  });

  test("an acknowledgement means that a change of the key-value store is on the disk", async () => {
    const disk = slowDisk();
    const store = await openStore({ sync: disk.sync });
    for (const [at, change] of [
      () => store.set("grant:a", { by: "ada" }),
      () => store.update("grant:a", () => ({ by: "ben" })),
      () => store.delete("grant:a"),
    ].entries()) {
      const changed = change();
      await disk.begun(at + 1);
      expect(await isSettled(changed)).toBe(false);
      disk.finish();
      await changed;
    }
    disk.speedUp();
  });

  test("an acknowledgement means that a change of a due entry is on the disk", async () => {
    const disk = slowDisk();
    const { due } = await openLog({ sync: disk.sync });
    const entry = { id: "a", namespace: "n:1", kind: "schedule", due_at: 7, value: "kept" };
    for (const [at, change] of [
      () => due.add(entry),
      () => due.change("a", (before) => ({ ...before, due_at: 8 })),
      () => due.remove("a"),
      () => due.removeAll("n:1"),
    ].entries()) {
      const changed = change();
      await disk.begun(at + 1);
      expect(await isSettled(changed)).toBe(false);
      disk.finish();
      await changed;
    }
    disk.speedUp();
  });

  test("acknowledgements share their syncs: all who wait share the next one", async () => {
    const disk = slowDisk();
    const log = await openLog({ sync: disk.sync });
    const first = log.accept(inbound("k0"), "t0", 1);
    await disk.begun(1);
    const others = Array.from({ length: 50 }, (_, at) =>
      log.accept(inbound(`k${at + 1}`, { thread: `${at}` }), `t${at + 1}`, 1),
    );
    expect(await isSettled(Promise.race(others))).toBe(false);
    disk.finish();
    await first;
    await disk.begun(2);
    // They came after the first sync began, which need not have seen them.
    expect(await isSettled(Promise.race(others))).toBe(false);
    disk.speedUp();
    await Promise.all(others);
    expect(disk.state.syncs).toBe(2);
  });

  test("an acknowledgement is refused when the disk fails, and can be tried again", async () => {
    let fails = true;
    const sync = async () => {
      if (fails) throw Object.assign(new Error("i/o error"), { code: "EIO" });
    };
    const log = await openLog({ sync });
    await expect(log.accept(inbound("k1"), "t1", 1)).rejects.toMatchObject({ code: "unavailable" });
    fails = false;
    expect(await log.accept(inbound("k1"), "t2", 1)).toEqual({ turn_id: "t1", accepted: false });
  });

  test("a side effect begins when its start is on the disk, and a read does not wait", async () => {
    const disk = slowDisk();
    const log = await openLog({ sync: disk.sync });
    const ran: string[] = [];
    const tools = (["read_only", "side_effect"] as const).map((effect) => ({
      name: effect,
      effect,
      run: () => ran.push(effect),
    }));
    const model = scriptedModel([[{ call: "read_only" }], [{ call: "side_effect" }], "done"]);
    const test = createTestApp(model, { log, skills: [testSkill("tools", tools)] });
    const asked = test.ask("go");
    await disk.begun(1);
    expect(ran).toEqual([]);
    disk.finish();
    await disk.begun(2);
    expect(ran).toEqual(["read_only"]);
    expect((await log.read((await log.list({}))[0]?.turn_id ?? "")).at(-1)).toMatchObject({
      type: "tool_started",
      effect: "side_effect",
    });
    disk.speedUp();
    expect((await asked).end.text).toBe("done");
    expect(ran).toEqual(["read_only", "side_effect"]);
    await test.stop(0);
  });
});

describe("the event loop", () => {
  /** The longest the loop was away while `work` went on, ms. */
  const longestPause = async (work: Promise<unknown>) => {
    let longest = 0;
    let last = performance.now();
    let over = false;
    const stop = () => {
      over = true;
    };
    work.then(stop, stop);
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    return longest;
  };
  /** Holds the write lock on another connection, which is what another process has. */
  const hold = (file = path) => {
    const database = new DatabaseSync(file);
    database.exec("BEGIN EXCLUSIVE");
    opened.push({ close: async () => void (database.isOpen && database.close()) });
    return database;
  };

  test("the event loop continues while another connection holds the write lock, and writes wait in order", async () => {
    const log = await openLog({});
    const holder = hold();
    const writes = ["t1", "t2", "t3"].map((id) => log.accept(inbound(`k${id}`), id, 1));
    const kept = Promise.all(writes);
    expect(await isSettled(Promise.race(writes))).toBe(false);
    const pausing = longestPause(kept);
    holder.close();
    const pause = await pausing;
    await kept;
    // Before, one try blocked for 5 s.
    expect(pause).toBeLessThan(1_000);
    expect((await log.list({})).map(({ turn_id }) => turn_id)).toEqual(["t3", "t2", "t1"]);
  });

  test("the event loop waits for a foreign lock only up to a total time", async () => {
    const log = await openLog({ busyTimeoutMs: 200 });
    const store = await openStore({ busyTimeoutMs: 200 });
    hold();
    hold(storePath);
    const from = performance.now();
    const writes = [1, 2, 3, 4, 5].map((at) => log.accept(inbound(`k${at}`), `t${at}`, 1));
    const results = await Promise.allSettled([...writes, store.set("a", 1)]);
    expect(results).toMatchObject(results.map(() => ({ status: "rejected", reason: { code: "locked" } })));
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(await log.get("t1")).toBeUndefined();
  });

  test("the event loop does not copy the write-ahead log: a worker does, however busy the log is", async () => {
    const log = await openLog({ checkpointPages: 250 });
    await log.accept(inbound("k"), "t", 1);
    await log.claim("w", 60_000);
    const bytes = 50_000;
    let [longest, written] = [0, 0];
    // Until the log has begun anew in the middle of the writing: on a busy machine the worker comes late.
    for (; written < 150 || longest > (written - 40) * bytes; written += 1) {
      expect(written).toBeLessThan(3_000);
      const step = {
        type: "step_finished",
        call_id: "c",
        step: "s",
        result: `${written} `.padEnd(bytes, "x"),
      };
      await log.append("t", "w", [entry("t", written + 1, step as TurnEventBody)]);
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, (await stat(`${path}-wal`)).size);
    }
    expect(longest).toBeGreaterThan(1_000_000);
    expect((await stat(path)).size).toBeGreaterThan(1_000_000);
    await log.append("t", "w", [ending("t", 4_000)]);
    expect(await log.read("t")).toHaveLength(written + 2);
  });
});

test("a log whose mark was not noted in the store before a crash is accepted at the next start", async () => {
  const log = await openLog({});
  const store = await openStore({});
  const clock = createFakeClock();
  const options = { path, clock, accept: false };
  const crash = new Error("the process ends here");
  const dying: KeyValue = { ...store, get: (key) => store.get(key), set: () => Promise.reject(crash) };
  await expect(keepLogMarked(log, { ...options, store: dying })).rejects.toBe(crash);
  const fails = { ...log, setMark: () => Promise.reject(crash) };
  await expect(keepLogMarked(fails, { ...options, store })).rejects.toBe(crash);
  await (await keepLogMarked(log, { ...options, store })).end();
});
