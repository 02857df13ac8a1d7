import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ForgetFiles, ForgottenFiles } from "../../core/ports/working-folder.ts";
import type { FolderIndex, KnownFile } from "./folder-index.ts";
import { areaOf, relativePath, shown } from "./folder-paths.ts";
import { forgetRuns, type IsLive, removeOldCopies } from "./folder-runs.ts";
import { removeForeignFile } from "./foreign-files.ts";

type Forgotten = ForgetFiles & { gone: ReadonlySet<string> };

/** Removes what belongs to deleted turns from a folder, as `WorkingFolder.forget` promises. The caller holds the index. */
export async function forgetFiles(
  root: string,
  index: FolderIndex,
  what: Forgotten,
  isLive: IsLive,
): Promise<ForgottenFiles> {
  const runs = await forgetRuns(root, index, what.gone, isLive);
  const named = new Set(what.paths?.flatMap((path) => relativePath(path) ?? []));
  const removed: string[] = [];
  const attached: string[] = [];
  const changed: string[] = [];
  for (const [path, known] of [...index]) {
    const left = named.has(path) ? undefined : leftOf(known, what);
    if (left === known) continue;
    if (left === undefined) removed.push(path);
    else index.set(path, left);
    if (left === undefined && known.turns !== undefined) attached.push(path);
    if (left !== undefined && left.made_in !== known.made_in && what.made) changed.push(path);
  }
  for (const path of removed) {
    const { area, rest } = areaOf(path);
    await removeForeignFile(join(root, area), rest, { emptied: true });
    index.delete(path);
  }
  const others = new Set([...changed, ...madeFrom(removed, index)]);
  withoutSources(removed, index);
  await runs.write(removed);
  await removeOldCopies(root, isLive);
  await removeDrafts(root);
  return { removed: attached.map(shown), made_from_them: [...others].map(shown) };
}

/** The record of a file without the deleted turns: the same object if it has none of them, undefined if the file is to be removed. */
function leftOf(known: KnownFile, { gone, made }: Forgotten): KnownFile | undefined {
  const { turns, made_in, given: hash } = known;
  const without = (all: readonly string[]) => all.filter((turnId) => !gone.has(turnId));
  if (turns?.some((turnId) => gone.has(turnId))) {
    const rest = without(turns);
    return rest.length === 0 ? undefined : { ...known, turns: rest };
  }
  if (made_in === undefined) return known;
  const rest = without(made_in);
  if (rest.length === made_in.length) return known;
  if (rest.length > 0) return { ...known, made_in: rest };
  return made || hash !== undefined ? undefined : known;
}

/** The files that were made from these, directly or indirectly. */
function madeFrom(removed: readonly string[], index: FolderIndex): string[] {
  const sources = new Set(removed);
  const made = new Set<string>();
  for (let count = -1; count !== made.size; ) {
    count = made.size;
    for (const [path, { from = [] }] of index) {
      if (made.has(path) || !from.some((source) => sources.has(source))) continue;
      made.add(path);
      sources.add(path);
    }
  }
  return [...made];
}

/** Removes the names of deleted files from the sources of others. */
function withoutSources(gone: readonly string[], index: FolderIndex): void {
  for (const [path, { from, ...known }] of [...index]) {
    if (from?.some((source) => gone.includes(source)) !== true) continue;
    index.set(path, { ...known, from: from.filter((source) => !gone.includes(source)) });
  }
}

/** Removes the drafts of killed processes: only the holder of the index writes drafts. */
async function removeDrafts(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => []))
    if (name.endsWith(".draft")) await rm(join(root, name), { force: true });
}
