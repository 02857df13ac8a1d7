import { createHash } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { FileChange } from "../../core/ports/working-folder.ts";
import { type Changers, type FolderIndex, namedIn, takenStock, updateIndex } from "./folder-index.ts";
import { readJson, writeJson } from "./folder-json.ts";
import { isHidden, shown } from "./folder-paths.ts";

const changesSchema = z.array(
  z.object({ path: z.string(), bytes: z.number(), change: z.enum(["made", "changed", "removed"]) }),
);

const runSchema = z.object({
  call_id: z.string(),
  /** Absent in records of earlier versions. */
  turn_id: z.string().optional(),
  /** The part of the folder it writes to. */
  area: z.string(),
  /** The files named by its call, until it has ended. */
  from: z.array(z.string()),
  /** The changes of an earlier, failed run of the same call. */
  earlier: changesSchema.optional(),
  /** Its changes; absent while it runs, and when the bot died during it. */
  changed: changesSchema.optional(),
  /** It threw, and its changes were not reported. */
  failed: z.literal(true).optional(),
});
/** A run of code in a folder. It is recorded on the disk before the code begins. */
type FolderRun = z.infer<typeof runSchema>;

const runsName = "runs.json";
/** Maximum recorded runs, and changes of each. */
const maxRuns = 40;
const maxChanges = 1_000;

/** Runs that this process has begun and not ended, by folder and call. A crash ended those of other processes. */
export type RunningCalls = Set<string>;

const keyOf = (root: string, callId: string) => JSON.stringify([root, callId]);

/** Records the start of a run, after recording the changes of runs that a crash ended. Returns the files that its call names. */
export async function beginRun(
  root: string,
  index: FolderIndex,
  { call_id, turn_id, area, text }: { call_id: string; turn_id: string; area: string; text: string },
  running: RunningCalls,
): Promise<string[]> {
  let runs = await readRuns(root);
  const again = runs.find((run) => run.call_id === call_id);
  // What an earlier run of the same call left before a crash is reported with the changes of this one.
  if (again === undefined || again.changed !== undefined)
    runs = await settled(root, index, { runs, area }, running);
  const from = namedIn(text, index);
  const earlier = again?.failed === true ? { earlier: changesOf(again) } : {};
  await writeRuns(root, [
    ...runs.filter((run) => run.call_id !== call_id),
    { call_id, turn_id, area, from, ...earlier },
  ]);
  running.add(keyOf(root, call_id));
  return from;
}

/** Records and returns the changes of a run; empty if the folder was removed meanwhile. */
export async function endRun(
  root: string,
  index: FolderIndex,
  {
    call_id,
    turn_id,
    area,
    from,
    failed,
  }: { call_id: string; turn_id: string; area: string; from: readonly string[]; failed: boolean },
  running: RunningCalls,
): Promise<FileChange[]> {
  running.delete(keyOf(root, call_id));
  if ((await stat(root).catch(() => undefined)) === undefined) return [];
  await removeCopies(root, call_id);
  const changed = await takeStock(root, index, area, { turns: [turn_id], from });
  const runs = (await readRuns(root)).map((run) =>
    run.call_id === call_id
      ? { ...run, from: [], changed, ...(failed ? { failed: true as const } : {}) }
      : run,
  );
  await writeRuns(root, runs);
  const own = runs.find((run) => run.call_id === call_id);
  return own === undefined ? changed : changesOf(own);
}

/** The unreported changes of a run: the bot died during the run, or before it reported them. */
export async function changesOfRun(
  root: string,
  index: FolderIndex,
  callId: string,
  running: RunningCalls,
): Promise<FileChange[]> {
  const runs = await readRuns(root);
  const run = runs.find(({ call_id }) => call_id === callId);
  if (run === undefined) return [];
  if (run.changed !== undefined || running.has(keyOf(root, callId))) return changesOf(run);
  const known = await settled(root, index, { runs, area: run.area }, running);
  await writeRuns(root, known);
  return known.filter(({ call_id }) => call_id === callId).flatMap(changesOf);
}

/**
 * The runs, with the changes of those in this part of the folder that a crash ended; if there are several, the first one gets all changes.
 */
async function settled(
  root: string,
  index: FolderIndex,
  { runs, area }: { runs: readonly FolderRun[]; area: string },
  running: RunningCalls,
): Promise<FolderRun[]> {
  const isOpen = (run: FolderRun) =>
    run.area === area && run.changed === undefined && !running.has(keyOf(root, run.call_id));
  const open = runs.filter(isOpen);
  const [first] = open;
  if (first === undefined) return [...runs];
  const from = [...new Set(open.flatMap((run) => run.from))];
  const turns = [...new Set(open.flatMap(({ turn_id = [] }) => turn_id))];
  const changed = await takeStock(root, index, area, { turns, from });
  for (const { call_id } of open) await removeCopies(root, call_id);
  return runs.map((run) => (isOpen(run) ? { ...run, from: [], changed: run === first ? changed : [] } : run));
}

/** Folders of copies of all running calls. */
export function copiesOf(root: string, running: RunningCalls): Set<string> {
  const calls = [...running].map((key) => JSON.parse(key) as [string, string]);
  return new Set(calls.flatMap(([of, callId]) => (of === root ? copiesFor(root, callId) : [])));
}

/**
 * Records the changes of runs that a crash ended, then drops the runs of deleted turns. `write` stores the others, without the names of
 * removed files.
 */
export async function forgetRuns(
  root: string,
  index: FolderIndex,
  gone: ReadonlySet<string>,
  running: RunningCalls,
): Promise<{ write(removed: readonly string[]): Promise<void> }> {
  let runs = await readRuns(root);
  for (const area of new Set(runs.map((run) => run.area)))
    runs = await settled(root, index, { runs, area }, running);
  const left = runs.filter(({ turn_id = "" }) => !gone.has(turn_id));
  return {
    async write(removed) {
      const names = new Set(removed.map(shown));
      const others = (changes: FileChange[] | undefined) => changes?.filter(({ path }) => !names.has(path));
      const kept = left.map(({ from, earlier, changed, ...run }) => ({
        ...run,
        from: from.filter((path) => !removed.includes(path)),
        earlier: others(earlier),
        changed: others(changed),
      }));
      if (runs.length > 0) await writeRuns(root, kept);
    },
  };
}

/** Updates the index; returns the changes since the last time. */
async function takeStock(
  root: string,
  index: FolderIndex,
  area: string,
  changers: Changers,
): Promise<FileChange[]> {
  const changes = updateIndex(index, area, await takenStock(root, area), changers);
  return changes.filter(({ path }) => !isHidden(path)).map((each) => ({ ...each, path: shown(each.path) }));
}

/** Folder of the copies of files that a running call sees. */
export function copiesFor(root: string, callId: string): string {
  return join(root, `shown-${createHash("sha256").update(callId).digest("hex").slice(0, 32)}`);
}

async function removeCopies(root: string, callId: string): Promise<void> {
  await rm(copiesFor(root, callId), { recursive: true, force: true });
}

async function readRuns(root: string): Promise<FolderRun[]> {
  const read = await readJson(join(root, runsName), z.array(runSchema));
  return read.status === "read" ? read.value : [];
}

/** The oldest runs are dropped first. */
async function writeRuns(root: string, runs: readonly FolderRun[]): Promise<void> {
  const kept = runs.slice(-maxRuns).map(({ changed, ...run }) => ({
    ...run,
    ...(changed === undefined ? {} : { changed: changed.slice(0, maxChanges) }),
  }));
  await writeJson(root, runsName, kept);
}

/** The changes of a call in all its runs. */
function changesOf({ earlier = [], changed = [] }: FolderRun): FileChange[] {
  const byPath = new Map(earlier.map((change) => [change.path, change]));
  for (const change of changed) {
    const before = byPath.get(change.path)?.change;
    if (before === "made" && change.change === "removed") byPath.delete(change.path);
    else byPath.set(change.path, before === "made" ? { ...change, change: "made" } : change);
  }
  return [...byPath.values()];
}
