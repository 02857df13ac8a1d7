import { readdir, rm, stat } from "node:fs/promises";
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
  /** Identifies this run: a call may run again. */
  run: z.uuid(),
  call_id: z.string(),
  turn_id: z.string(),
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

/** Whether a run goes on, in this process or another one. A crash ended the other runs that have no changes yet. */
export type IsLive = (run: string) => Promise<boolean>;

/** Records the start of a run, after recording the changes of runs that a crash ended. Returns the files that its call names. */
export async function beginRun(
  root: string,
  index: FolderIndex,
  begun: { run: string; call_id: string; turn_id: string; area: string; text: string },
  isLive: IsLive,
): Promise<string[]> {
  const { text, ...about } = begun;
  const { call_id, area } = about;
  let runs = await readRuns(root);
  const again = runs.find((run) => run.call_id === call_id);
  // What an earlier run of the same call left before a crash is reported with the changes of this one.
  if (again === undefined || again.changed !== undefined)
    runs = await settled(root, index, { runs, area }, isLive);
  const from = namedIn(text, index);
  const earlier = again?.failed === true ? { earlier: changesOf(again) } : {};
  await writeRuns(root, [...runs.filter((each) => each.call_id !== call_id), { ...about, from, ...earlier }]);
  return from;
}

/** Records and returns the changes of a run; empty if the folder was removed meanwhile. */
export async function endRun(
  root: string,
  index: FolderIndex,
  ended: Pick<FolderRun, "run" | "turn_id" | "area" | "from"> & { failed: boolean },
): Promise<FileChange[]> {
  const { run, turn_id, area, from, failed } = ended;
  if ((await stat(root).catch(() => undefined)) === undefined) return [];
  await removeCopies(root, run);
  const changed = await takeStock(root, index, area, { turns: [turn_id], from });
  const runs = (await readRuns(root)).map((each) =>
    each.run === run ? { ...each, from: [], changed, failed: failed ? (true as const) : undefined } : each,
  );
  await writeRuns(root, runs);
  const own = runs.find((each) => each.run === run);
  return own === undefined ? changed : changesOf(own);
}

/**
 * The unreported changes of a run: the bot died during the run, or before it reported them. Whoever asks has the turn now, so no other
 * process goes on with its call.
 */
export async function changesOfRun(
  root: string,
  index: FolderIndex,
  callId: string,
  isLive: IsLive,
): Promise<FileChange[]> {
  const runs = await readRuns(root);
  const run = runs.find(({ call_id }) => call_id === callId);
  if (run === undefined) return [];
  if (run.changed !== undefined) return changesOf(run);
  const isOthersLive: IsLive = async (id) => id !== run.run && (await isLive(id));
  const known = await settled(root, index, { runs, area: run.area }, isOthersLive);
  await writeRuns(root, known);
  return known.filter(({ call_id }) => call_id === callId).flatMap(changesOf);
}

/**
 * The runs, with the changes of those in this part of the folder that a crash ended; if there are several, the first one gets all changes.
 */
async function settled(
  root: string,
  index: FolderIndex,
  { runs, area }: { runs: FolderRun[]; area: string },
  isLive: IsLive,
): Promise<FolderRun[]> {
  const open: FolderRun[] = [];
  for (const each of runs) {
    const { run, changed } = each;
    if (each.area !== area || changed !== undefined) continue;
    if (!(await isLive(run))) open.push(each);
  }
  const [first] = open;
  if (first === undefined) return runs;
  const from = [...new Set(open.flatMap((run) => run.from))];
  const turns = [...new Set(open.map(({ turn_id }) => turn_id))];
  const changed = await takeStock(root, index, area, { turns, from });
  for (const { run } of open) await removeCopies(root, run);
  return runs.map((run) =>
    open.includes(run) ? { ...run, from: [], changed: run === first ? changed : [] } : run,
  );
}

/**
 * Records the changes of runs that a crash ended, then drops the runs of deleted turns. `write` stores the others, without the names of
 * removed files.
 */
export async function forgetRuns(
  root: string,
  index: FolderIndex,
  gone: ReadonlySet<string>,
  isLive: IsLive,
): Promise<{ write(removed: readonly string[]): Promise<void> }> {
  let runs = await readRuns(root);
  for (const area of new Set(runs.map((run) => run.area)))
    runs = await settled(root, index, { runs, area }, isLive);
  const left = runs.filter(({ turn_id }) => !gone.has(turn_id));
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

const copiesPrefix = "shown-";

/** Folder of the copies of files that a run sees. */
export function copiesFor(root: string, run: string): string {
  return join(root, copiesPrefix + run);
}

async function removeCopies(root: string, run: string): Promise<void> {
  await rm(copiesFor(root, run), { recursive: true, force: true });
}

/** Removes the copies of runs that have ended. */
export async function removeOldCopies(root: string, isLive: IsLive): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const run = name.startsWith(copiesPrefix) ? name.slice(copiesPrefix.length) : undefined;
    if (run !== undefined && !(await isLive(run))) await removeCopies(root, run);
  }
}

async function readRuns(root: string): Promise<FolderRun[]> {
  const read = await readJson(join(root, runsName), z.array(runSchema));
  return read.status === "read" ? read.value : [];
}

/** The oldest runs are dropped first. */
async function writeRuns(root: string, runs: readonly FolderRun[]): Promise<void> {
  const kept = runs.slice(-maxRuns).map((run) => ({ ...run, changed: run.changed?.slice(0, maxChanges) }));
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
