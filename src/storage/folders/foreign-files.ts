/** Files that untrusted code wrote: listed, opened and removed without following a link. */
import type { BigIntStats, Dirent, Stats } from "node:fs";
import { type FileHandle, lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isAbsence, openFile, openFolder } from "./open-foreign.ts";

/** A regular file below a folder. */
interface ForeignFile {
  /** Relative to the folder, with forward slashes. */
  path: string;
  /** What it takes: its length, or its blocks where they are more. */
  bytes: number;
  /** ms since the epoch, with fractions. */
  changed_at: number;
}

/** What lies below a folder. */
export interface ForeignFiles {
  /** Regular files, hidden ones too. */
  files: ForeignFile[];
  /** Files, folders, links and everything else that has a name. */
  entries: number;
  /** Why not everything was looked at, if it was not. */
  cut?: "entries" | "depth";
}

/** Folders within folders that are looked into. */
export const deepestFolder = 40;

/** Opens a regular file below a folder for reading. Undefined when there is none, or a link on the way. */
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

/** A small file does not count as the block it has, a file with holes in it not as less than its length. */
function sizeOf({ size, blocks }: Stats): number {
  return blocks * 512 > size + 4_096 ? blocks * 512 : size;
}

/** Looks through a folder until it has seen more than so many entries. */
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
    else if (depth >= deepestFolder) found.cut = "depth";
    else await look({ found, maxEntries }, place, `${prefix}${entry.name}/`, depth + 1);
  }
}

async function addFile(files: ForeignFile[], place: string, path: string): Promise<void> {
  const stats = await lstat(place).catch(() => undefined);
  if (stats?.isFile() === true) files.push({ path, bytes: sizeOf(stats), changed_at: stats.mtimeMs });
}

/** Removed meanwhile, a folder has nothing. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Removes one file, or a link, and with `emptied` the folders it leaves empty; false when there is none. */
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
