import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ForgetFiles, ForgottenFiles } from "../../core/working-folder.ts";
import type { FolderIndex } from "./folder-index.ts";
import { areaOf, relativePath, shown } from "./folder-paths.ts";
import { copiesOf, forgetRuns, type RunningCalls } from "./folder-runs.ts";
import { removeForeignFile } from "./foreign-files.ts";

/** Takes out of a folder what came with turns that are deleted, as `WorkingFolder.forget` promises. */
export async function forgetFiles(
  root: string,
  index: FolderIndex,
  { gone, made, paths = [], given = new Set() }: ForgetFiles & { gone: ReadonlySet<string> },
  running: RunningCalls,
): Promise<ForgottenFiles> {
  const notGone = (turnId: string) => !gone.has(turnId);
  const runs = await forgetRuns(root, index, gone, running);
  const named = new Set(paths.flatMap((path) => relativePath(path) ?? []));
  const attached: string[] = [];
  const results: string[] = [];
  const changed: string[] = [];
  for (const [path, known] of [...index]) {
    const { turns, made_in } = known;
    if (named.has(path)) {
      attached.push(path);
    } else if (turns?.some((turnId) => gone.has(turnId))) {
      const rest = turns.filter(notGone);
      if (rest.length === 0) attached.push(path);
      else index.set(path, { ...known, turns: rest });
    } else if (made_in?.some((turnId) => gone.has(turnId))) {
      const rest = made_in.filter(notGone);
      if (rest.length > 0) {
        index.set(path, { ...known, made_in: rest });
        if (made) changed.push(path);
      } else if (made || known.given !== undefined) results.push(path);
    } else if (made_in === undefined && known.given !== undefined && given.has(known.given)) {
      results.push(path);
    }
  }
  const removed = [...attached, ...results];
  for (const path of removed) {
    const { area, rest } = areaOf(path);
    await removeForeignFile(join(root, area), rest, { emptied: true });
    index.delete(path);
  }
  const others = new Set([...changed, ...madeFrom(removed, index)]);
  withoutSources(removed, index);
  await runs.write(removed);
  await removeLeftovers(root, running);
  return { removed: attached.map(shown), made_from_them: [...others].map(shown) };
}

/** What was made from these, and from what was made from them. */
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

/** Of what is gone, the names go too. */
function withoutSources(gone: readonly string[], index: FolderIndex): void {
  for (const [path, { from, ...known }] of [...index]) {
    if (from?.some((source) => gone.includes(source)) !== true) continue;
    index.set(path, { ...known, from: from.filter((source) => !gone.includes(source)) });
  }
}

/** Removes what a crash left of files: drafts that an earlier process wrote, and copies for runs that have ended. */
async function removeLeftovers(root: string, running: RunningCalls): Promise<void> {
  const inUse = copiesOf(root, running);
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name);
    const isCopy = name.startsWith("shown-") && !inUse.has(path);
    const isDraft = name.endsWith(".draft") && ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) < began;
    if (isCopy || isDraft) await rm(path, { recursive: true, force: true });
  }
}

/** When this process began, ms since the epoch. */
const began = performance.timeOrigin;
