import { join } from "node:path";
import { z } from "zod";
import { fileNameOf } from "../../base/file-kind.ts";
import { type FileChange, folderLimits } from "../../core/ports/working-folder.ts";
import { readJson, writeJson } from "./folder-json.ts";
import { areaOf, areasIn, seenAs } from "./folder-paths.ts";
import { type ForeignFiles, listForeignFiles } from "./foreign-files.ts";

/** What is known of a file in addition to its attributes on the disk. Paths are relative to the folder as code sees it. */
const knownFileSchema = z.object({
  bytes: z.number(),
  changed_at: z.number(),
  /** Turns it was attached with. */
  turns: z.array(z.string()).optional(),
  by: z.string().optional(),
  /** Turns whose calls made or changed it; absent for attached files. */
  made_in: z.array(z.string()).optional(),
  /** Files that were named by the call that made it. */
  from: z.array(z.string()).optional(),
  /** The sha256 of the content the person got. */
  given: z.string().optional(),
});
export type KnownFile = z.infer<typeof knownFileSchema>;
export type FolderIndex = Map<string, KnownFile>;

const indexName = "files.json";
const indexSchema = z.record(z.string(), knownFileSchema);

/** The index, rebuilt from the files if damaged; who sent them is then lost. */
export async function readIndex(root: string): Promise<{ index: FolderIndex; damaged: boolean }> {
  const read = await readJson(join(root, indexName), indexSchema);
  if (read.status === "read") return { index: new Map(Object.entries(read.value)), damaged: false };
  const index: FolderIndex = new Map();
  if (read.status === "missing") return { index, damaged: false };
  for (const area of await areasIn(root))
    updateIndex(index, area, await takenStock(root, area), { turns: [], from: [] });
  return { index, damaged: true };
}

export async function writeIndex(root: string, index: FolderIndex): Promise<void> {
  await writeJson(root, indexName, Object.fromEntries(index));
}

/** The files in a part of the folder, even if there are more than allowed. */
export async function takenStock(root: string, area: string): Promise<ForeignFiles> {
  return await listForeignFiles(join(root, area), 2 * folderLimits.files);
}

export function sizeOf(index: FolderIndex, area?: string): number {
  let bytes = 0;
  for (const [path, file] of index) if (area === undefined || areaOf(path).area === area) bytes += file.bytes;
  return bytes;
}

/** The files whose path or name occurs in a text. */
export function namedIn(text: string, index: FolderIndex): string[] {
  const words = new Set(
    text.split(/[\s"'`()[\]{},;:=<>|&$]+/).flatMap((word) => [word, word.slice(word.lastIndexOf("/") + 1)]),
  );
  return [...index.keys()].filter((path) => {
    const name = fileNameOf(path);
    return words.has(name) || (/[\s"'`()[\]{},;:=<>|&$]/.test(name) && text.includes(name));
  });
}

/** Members without a value are left out. */
function changedBy(
  path: string,
  { from = [], made_in = [] }: Pick<KnownFile, "from" | "made_in"> = {},
  by: Changers,
): Pick<KnownFile, "from" | "made_in"> {
  const sources = [...new Set([...from, ...by.from])].filter((each) => each !== path);
  const turns = [...new Set([...made_in, ...by.turns])];
  return {
    ...(sources.length === 0 ? {} : { from: sources }),
    ...(turns.length === 0 ? {} : { made_in: turns }),
  };
}

/** What changed a part of the folder: the turns of the runs, and the files that their calls named. */
export interface Changers {
  turns: readonly string[];
  from: readonly string[];
}

/** Updates the index to the present state of a part of the folder. Returns the changes. */
export function updateIndex(
  index: FolderIndex,
  area: string,
  { files, cut }: Pick<ForeignFiles, "files" | "cut">,
  { turns, from }: Changers,
): FileChange[] {
  const there = new Set<string>();
  const changes: FileChange[] = [];
  for (const { path: within, bytes, changed_at } of files) {
    const path = seenAs(area, within);
    there.add(path);
    const known = index.get(path);
    if (known?.bytes === bytes && known.changed_at === changed_at) continue;
    changes.push({ path, bytes, change: known === undefined ? "made" : "changed" });
    index.set(path, { ...known, bytes, changed_at, ...changedBy(path, known, { turns, from }) });
  }
  // A file that was not reached may still exist.
  if (cut !== undefined) return changes;
  for (const [path, { bytes }] of [...index]) {
    if (areaOf(path).area !== area || there.has(path)) continue;
    changes.push({ path, bytes, change: "removed" });
    index.delete(path);
  }
  return changes;
}
