import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { FileChange } from "../core/working-folder.ts";
import { areaOf, seenAs } from "./folder-paths.ts";
import type { ForeignFile } from "./foreign-files.ts";

/** What is known of a file beside what the disk says. Paths are relative to the folder as code sees it. */
const knownFileSchema = z.object({
  bytes: z.number(),
  changed_at: z.number(),
  /** Turns it was attached with. */
  turns: z.array(z.string()).optional(),
  by: z.string().optional(),
  /** Files that the call that made it named. */
  from: z.array(z.string()).optional(),
  /** The sha256 of what the person got. */
  given: z.string().optional(),
});
type KnownFile = z.infer<typeof knownFileSchema>;
export type FolderIndex = Map<string, KnownFile>;

const indexName = "files.json";
const indexSchema = z.record(z.string(), knownFileSchema);

/** What stands in the index; empty where there is none, or a damaged one: the files themselves are still there. */
export async function readIndex(root: string): Promise<FolderIndex> {
  return new Map(Object.entries((await readJson(join(root, indexName), indexSchema)) ?? {}));
}

export async function writeIndex(root: string, index: FolderIndex): Promise<void> {
  await writeJson(root, indexName, Object.fromEntries(index));
}

const runSchema = z.object({ call_id: z.string(), from: z.array(z.string()) });
/** A run that has begun and has not been taken stock of. */
export type OpenRun = z.infer<typeof runSchema>;

const runName = (area: string) => `run-${area.replaceAll("/", "_")}.json`;

/** Undefined when the last run in this part of the folder ended in order. */
export async function readOpenRun(root: string, area: string): Promise<OpenRun | undefined> {
  return await readJson(join(root, runName(area)), runSchema);
}

export async function writeOpenRun(root: string, area: string, run: OpenRun): Promise<void> {
  await writeJson(root, runName(area), run);
}

export async function removeOpenRun(root: string, area: string): Promise<void> {
  await rm(join(root, runName(area)), { force: true });
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || error instanceof z.ZodError;
    if (isDamaged || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeJson(root: string, name: string, value: object): Promise<void> {
  const draft = join(root, `.${randomUUID()}.draft`);
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, join(root, name));
}

export function sizeOf(index: FolderIndex, area?: string): number {
  let bytes = 0;
  for (const [path, file] of index) if (area === undefined || areaOf(path).area === area) bytes += file.bytes;
  return bytes;
}

/** The files whose path or name stands in a text. */
export function namedIn(text: string, index: FolderIndex): string[] {
  const words = new Set(
    text.split(/[\s"'`()[\]{},;:=<>|&$]+/).flatMap((word) => [word, word.slice(word.lastIndexOf("/") + 1)]),
  );
  return [...index.keys()].filter((path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return words.has(name) || (/[\s"'`()[\]{},;:=<>|&$]/.test(name) && text.includes(name));
  });
}

/** What was made from these, and from what was made from them. */
export function madeFrom(removed: readonly string[], index: FolderIndex): string[] {
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

/**
 * Brings the index to what is there now in a part of the folder. Answers what has changed; `from` are the files that the run named which
 * changed it.
 */
export function updateIndex(
  index: FolderIndex,
  area: string,
  files: readonly ForeignFile[],
  from: readonly string[],
): FileChange[] {
  const there = new Set<string>();
  const changes: FileChange[] = [];
  for (const { path: within, bytes, changed_at } of files) {
    const path = seenAs(area, within);
    there.add(path);
    const known = index.get(path);
    if (known?.bytes === bytes && known.changed_at === changed_at) continue;
    changes.push({ path, bytes, change: known === undefined ? "made" : "changed" });
    const sources = [...new Set([...(known?.from ?? []), ...from])].filter((each) => each !== path);
    index.set(path, { ...known, bytes, changed_at, ...(sources.length === 0 ? {} : { from: sources }) });
  }
  for (const [path, { bytes }] of [...index]) {
    if (areaOf(path).area !== area || there.has(path)) continue;
    changes.push({ path, bytes, change: "removed" });
    index.delete(path);
  }
  return changes;
}
