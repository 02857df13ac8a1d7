import { describe, expect, it } from "vitest";
import type { RetentionCounts, RetentionPolicy } from "../../../../src/app/services/retention-policy.ts";
import { type AgingData, RetentionPass } from "../../../../src/app/services/retention-sweep.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { claimAt, logTime } from "../../../support/log-time.ts";

const day = 86_400_000;
const now = 20_000 * day;
const ago = (days: number) => now - days * day;
const policy: RetentionPolicy = {
  conversation_days: 365,
  run_detail_days: 30,
  file_days: 20,
  audit_days: 400,
};
const author = { id: "ada", name: "Ada", trust: "member" } as const;
const namespace = "console:local:general";
const none = { threads: 0, turns: 0, run_details: 0, files: 0, audit: 0, openings: 0 };

/** A store as a bot of some age has it, and what of it is swept. */
function createWorld() {
  const [log, store] = [createMemoryTurnLog(logTime), createMemoryKeyValue()];
  const [files, folders] = [new Map<string, number>(), new Map<string, number>()];
  const before: Record<string, unknown> = {};
  const removed = <T>(what: string, by: unknown, answer: T) => {
    before[what] = by;
    return answer;
  };
  const data: AgingData = {
    log,
    store,
    files: {
      async *turns() {
        for (const [turn_id, changed_at] of [...files]) yield { turn_id, changed_at };
      },
      forget: async (id) => void files.delete(id),
    },
    folders: {
      of: ({ thread }) => ({ clear: async () => void folders.delete(thread) }) as never,
      async *all() {
        for (const [thread, changed_at] of [...folders]) yield { place: { namespace, thread }, changed_at };
      },
    },
    stored: { removeBefore: async (time, options) => removed("audit", { time, ...options }, 7) },
    index: { clearBefore: async (time) => removed("index", { time }, 0) },
    copies: { remove: async (options) => removed("copies", options, []) },
  };
  /** A turn of a thread that was finished so many days ago, or runs. */
  const turn = async (id: string, thread: string, finished: number | undefined) => {
    const at = finished ?? now;
    await log.accept({ key: id, namespace, thread, author, kind: "message", text: "hi" }, id, at);
    await claimAt(log, at, id, 1_000);
    const end: TurnEventBody[] =
      finished === undefined ? [] : [{ type: "turn_finished", outcome: "completed", text: "a" }];
    const bodies: TurnEventBody[] = [{ type: "round_started", round: 1 }, ...end];
    await log.append(
      id,
      id,
      bodies.map((body, at_) => ({ ...body, turn_id: id, seq: at_ + 1, at })),
    );
  };
  const sweep = async (options: { dryRun?: boolean; policy?: Partial<RetentionPolicy> } = {}) => {
    const counts: RetentionCounts = { ...none };
    let steps = 0;
    const pass = new RetentionPass(data, now, options.dryRun ?? false);
    for (const each of pass.sweeps({ ...policy, ...options.policy }))
      for await (const step of each) {
        steps += 1;
        for (const [kind, count] of Object.entries(step)) counts[kind as keyof RetentionCounts] += count;
      }
    return { counts, steps };
  };
  return {
    data,
    log,
    store,
    files,
    folders,
    before,
    turn,
    sweep,
    types: (id: string) => typesOf(log, id),
  };
}

const typesOf = async (log: AgingData["log"], id: string) => (await log.read(id)).map(({ type }) => type);
const never = {
  conversation_days: "never",
  run_detail_days: "never",
  file_days: "never",
  audit_days: "never",
} as const;

describe("a sweep", () => {
  it.each([
    [
      "a thread that nobody used for longer than conversations are kept",
      366,
      { threads: 1, turns: 2, run_details: 0 },
    ],
    [
      "a thread that is a day short of that: its details alone",
      364,
      { threads: 0, turns: 0, run_details: 2 },
    ],
    ["a thread of yesterday: nothing", 1, { threads: 0, turns: 0, run_details: 0 }],
  ])("a sweep takes from %s", async (_what, age, expected) => {
    const world = createWorld();
    for (const id of ["a", "b"]) await world.turn(id, "t", ago(age));
    for (const id of ["a", "b"]) await world.store.set(`feedback:${id}`, { ada: "good" });
    world.folders.set("t", now);
    const dry = await world.sweep({ dryRun: true });
    // A dry run still counts the details of what a real one has deleted whole.
    expect(dry.counts).toEqual({ ...none, audit: 7, ...expected, run_details: age > 30 ? 2 : 0 });
    expect(await world.types("a")).toContain("round_started");
    expect([world.folders.size, (await Array.fromAsync(world.store.keys("feedback:"))).length]).toEqual([
      1, 2,
    ]);
    expect((await world.sweep()).counts).toEqual({ ...none, audit: 7, ...expected });
    expect((await world.types("a")).includes("round_started")).toBe(age === 1);
    expect((await world.types("a")).includes("details_removed")).toBe(age === 364);
    const isThere = expected.threads === 0;
    expect(await Array.fromAsync(world.store.keys("feedback:"))).toHaveLength(isThere ? 2 : 0);
    expect(world.folders.size).toBe(isThere ? 1 : 0);
    expect((await world.sweep()).counts).toEqual({ ...none, audit: 7 });
  });

  it("a sweep takes the files of a thread's turns with it, and counts each thread once", async () => {
    const world = createWorld();
    for (let at = 0; at < 3; at += 1) await world.turn(`a${at}`, "t", ago(400));
    await world.turn("b", "u", ago(400));
    for (const id of ["a0", "a2", "b"]) world.files.set(id, now);
    const { counts } = await world.sweep({ policy: { file_days: "never" } });
    expect(counts).toMatchObject({ threads: 2, turns: 4, files: 0 });
    expect(world.files.size).toBe(0);
  });

  it("a sweep leaves a thread in which something was said in between, with its folder", async () => {
    const world = createWorld();
    await world.turn("a", "t", ago(400));
    world.folders.set("t", now);
    const { idleThreads } = world.log;
    world.data.log = Object.assign(Object.create(world.log), {
      async idleThreads(...call: Parameters<typeof idleThreads>) {
        const page = await idleThreads(...call);
        if (page.length > 0) await world.turn("b", "t", ago(1));
        return page;
      },
    });
    expect((await world.sweep({ policy: { run_detail_days: "never" } })).counts).toMatchObject({
      threads: 0,
      turns: 0,
    });
    expect(world.folders.size).toBe(1);
    expect(await world.types("b")).toContain("turn_finished");
  });

  it("a sweep goes through more threads and turns than one page of the log has", async () => {
    const world = createWorld();
    for (let at = 0; at < 230; at += 1) await world.turn(`a${at}`, `t${at}`, ago(100));
    const details = await world.sweep();
    expect(details.counts).toMatchObject({ run_details: 230 });
    // Ten turns a step, and others may go on between two pages.
    expect(details.steps).toBeGreaterThanOrEqual(23 + 2);
    const threads = await world.sweep({ dryRun: true, policy: { conversation_days: 50 } });
    expect(threads.counts).toMatchObject({ threads: 230, turns: 230 });
    expect((await world.sweep({ policy: { conversation_days: 50 } })).counts).toMatchObject({ threads: 230 });
  });

  it.each<[string, { turn?: number | "runs"; changed: number; policy?: Partial<RetentionPolicy> }, boolean]>([
    ["of a turn that was finished before", { turn: 21, changed: 0 }, true],
    ["of a turn that was finished since", { turn: 19, changed: 19 }, false],
    ["of a turn that runs, however old they are", { turn: "runs", changed: 90 }, false],
    ["of an old turn, where files are kept", { turn: 300, changed: 300, policy: never }, false],
    ["without a turn, of yesterday", { changed: 0.9 }, false],
    ["without a turn, of the day before", { changed: 1.1 }, true],
    ["without a turn, where files are kept", { changed: 1.1, policy: never }, true],
  ])("a sweep takes or leaves files %s: %j", async (_what, { turn, changed, policy: own = {} }, goes) => {
    const world = createWorld();
    if (turn !== undefined) await world.turn("a", "t", turn === "runs" ? undefined : ago(turn));
    world.files.set("a", ago(changed));
    expect((await world.sweep({ dryRun: true, policy: own })).counts.files).toBe(goes ? 1 : 0);
    expect(world.files.has("a")).toBe(true);
    expect((await world.sweep({ policy: own })).counts.files).toBe(goes ? 1 : 0);
    expect(world.files.has("a")).toBe(!goes);
  });

  it.each<[string, { turn?: number | "runs"; changed: number; policy?: Partial<RetentionPolicy> }, boolean]>([
    ["in which and in whose thread nothing happened", { turn: 21, changed: 21 }, true],
    ["that was used since", { turn: 21, changed: 19 }, false],
    ["whose thread was used since", { turn: 19, changed: 21 }, false],
    ["whose thread runs a turn", { turn: "runs", changed: 90 }, false],
    ["of an old thread, where files are kept", { turn: 300, changed: 300, policy: never }, false],
    ["without a thread, of yesterday", { changed: 0.9 }, false],
    ["without a thread, of the day before", { changed: 1.1 }, true],
    ["without a thread, where files are kept", { changed: 1.1, policy: never }, true],
  ])("a sweep takes or leaves a folder %s: %j", async (_what, { turn, changed, policy: own = {} }, goes) => {
    const world = createWorld();
    if (turn !== undefined) await world.turn("a", "t", turn === "runs" ? undefined : ago(turn));
    world.folders.set("t", ago(changed));
    expect((await world.sweep({ dryRun: true, policy: own })).counts.files).toBe(goes ? 1 : 0);
    expect(world.folders.has("t")).toBe(true);
    expect((await world.sweep({ policy: own })).counts.files).toBe(goes ? 1 : 0);
    expect(world.folders.has("t")).toBe(!goes);
  });

  it("a sweep rests after each ten turns whose files stay", async () => {
    const world = createWorld();
    const rest = (await world.sweep({ policy: never })).steps;
    for (let at = 0; at < 25; at += 1) world.files.set(`a${at}`, now);
    expect((await world.sweep({ policy: never })).steps).toBe(rest + 2);
  });

  it("a sweep looks at audit, index and copies from the same time on in a dry run and a real one", async () => {
    const world = createWorld();
    await world.sweep({ dryRun: true });
    expect(world.before).toEqual({
      audit: { time: ago(400), dryRun: true },
      copies: { before: ago(14), dryRun: true },
    });
    await world.sweep();
    expect(world.before).toEqual({
      audit: { time: ago(400), dryRun: false },
      index: { time: ago(365) },
      copies: { before: ago(14), dryRun: false },
    });
  });

  it("a sweep takes nothing but copies where everything is kept, and needs none of these", async () => {
    const world = createWorld();
    await world.turn("a", "t", ago(9_000));
    await world.store.set("opening:o", {});
    await world.store.set("opening_day:o", "1999-01-01");
    expect((await world.sweep({ policy: never })).counts).toEqual(none);
    expect(world.before).toEqual({ copies: { before: ago(14), dryRun: false } });
    expect(await world.types("a")).toContain("round_started");
    world.data.copies = undefined;
    expect((await world.sweep({ policy: never })).counts).toEqual(none);
  });

  it.each([
    ["a day longer than conversations are", 366, 0],
    ["two days longer", 367, 1],
  ])("a sweep keeps openings %s", async (_what, age, openings) => {
    const world = createWorld();
    await world.store.set("opening:o", {});
    await world.store.set("opening_day:o", new Date(ago(age)).toISOString().slice(0, 10));
    expect((await world.sweep({ dryRun: true })).counts).toMatchObject({ openings });
    expect(await world.store.get("opening:o")).toEqual({});
    expect((await world.sweep()).counts).toMatchObject({ openings });
    expect((await world.store.get("opening:o")) === undefined).toBe(openings === 1);
  });
});
