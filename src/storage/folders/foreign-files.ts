/** Files written by untrusted code: listed, opened and removed without following a link. */
import type { BigIntStats, Dirent, Stats } from "node:fs";
import { type FileHandle, lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isAbsence, openFile, openFolder } from "./open-foreign.ts";

/** A regular file in a folder. */
interface ForeignFile {
  /** Relative to the folder, with forward slashes. */
  path: string;
  /** The space it takes: its length, or its blocks if they are more. */
  bytes: number;
  /** ms since the epoch, with fractions. */
  changed_at: number;
}

/** The content of a folder. */
export interface ForeignFiles {
  /** Regular files, including hidden ones. */
  files: ForeignFile[];
  /** Files, folders, links and all other entries. */
  entries: number;
  /** Why the listing is incomplete, if it is. */
  cut?: "entries" | "depth";
}

/** Maximum depth of nested folders that are searched. */
export const maxFolderDepth = 40;

/** Opens a regular file below a folder for reading. Undefined if there is none, or a link on the way. */
export async function openForeignFile(
  folder: string,
  path: string,
): Promise<{ handle: FileHandle; stats: BigIntStats } | undefined> {
  const [first = "", ...rest] = path.split("/");
  if (rest.length > 0) {
    await using within = await openFolder(join(folder, first));
    if (within === undefined) return undefined;
    return await openForeignFile(within.at("."), rest.join("/"));
  }
  const handle = await openFile(join(folder, first));
  if (handle === undefined) return undefined;
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile()) return { handle, stats };
  await handle.close();
  return undefined;
}

/** A small file does not count as a whole block, and a sparse file not as less than its length. */
function sizeOf({ size, blocks }: Stats): number {
  return blocks * 512 > size + 4_096 ? blocks * 512 : size;
}

/** Lists a folder until it has more than `maxEntries` entries. */
export async function listForeignFiles(folder: string, maxEntries: number): Promise<ForeignFiles> {
  const found: ForeignFiles = { files: [], entries: 0 };
  await look({ found, maxEntries }, folder, "", 1);
  return found;
}

interface Look {
  found: ForeignFiles;
  maxEntries: number;
}

async function look({ found, maxEntries }: Look, path: string, prefix: string, depth: number) {
  await using folder = await openFolder(path);
  for (const entry of folder === undefined ? [] : await entriesOf(folder.at("."))) {
    if (found.entries >= maxEntries) found.cut = "entries";
    if (found.cut === "entries" || folder === undefined) return;
    found.entries += 1;
    const place = folder.at(entry.name);
    if (entry.isFile()) await addFile(found.files, place, prefix + entry.name);
    else if (!entry.isDirectory()) continue;
    else if (depth >= maxFolderDepth) found.cut = "depth";
    else await look({ found, maxEntries }, place, `${prefix}${entry.name}/`, depth + 1);
  }
}

async function addFile(files: ForeignFile[], place: string, path: string): Promise<void> {
  const stats = await lstat(place).catch(() => undefined);
  if (stats?.isFile() === true) files.push({ path, bytes: sizeOf(stats), changed_at: stats.mtimeMs });
}

/** A folder that was removed meanwhile counts as empty. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Removes one file or link, and with `emptied` the folders that become empty; false if there is none. */
export async function removeForeignFile(
  folder: string,
  path: string,
  options: { emptied?: true } = {},
): Promise<boolean> {
  const [first = "", ...rest] = path.split("/");
  if (rest.length > 0) {
    const removed = await removeWithin(join(folder, first), rest.join("/"), options);
    // Not empty, a link, or gone: left as it is.
    if (removed && options.emptied) await rmdir(join(folder, first)).catch(() => {});
    return removed;
  }
  try {
    await unlink(join(folder, first));
    return true;
  } catch (error) {
    // Folders are no files.
    if (isAbsence(error) || (error as NodeJS.ErrnoException).code === "EISDIR") return false;
    throw error;
  }
}

async function removeWithin(path: string, rest: string, options: { emptied?: true }): Promise<boolean> {
  await using folder = await openFolder(path);
  return folder !== undefined && (await removeForeignFile(folder.at("."), rest, options));
}
