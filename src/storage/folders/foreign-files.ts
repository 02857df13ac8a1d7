/**
 * Files written by untrusted code that may be changing them: listed, opened and removed without following a link. On Linux each folder is
 * opened and its entries are reached through the open folder, so that none can be replaced by a link in between (proc_pid_fd(5)). On other
 * systems no such code runs at the same time, and paths are used.
 */
import { type BigIntStats, constants, type Dirent, type Stats } from "node:fs";
import { chmod, type FileHandle, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, orUndefined } from "../../base/error-text.ts";

const isLinux = process.platform === "linux";

/** open(2): a descriptor of a place, whatever its rights. Node has no name for the flag. */
const pathOnly = 0o10000000;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not blocking: a named pipe without a writer would block the bot. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An open folder, or its path where open folders cannot be traversed. */
export interface OpenFolder extends AsyncDisposable {
  at(name: string): string;
}

/** Undefined if there is no such folder, or a link instead. A folder without rights for us is opened up. */
export async function openFolder(path: string): Promise<OpenFolder | undefined> {
  const handle = await openOrUndefined(path, folderFlags);
  if (handle === undefined) return undefined;
  if (!isLinux) await handle.close();
  const base = isLinux ? `/proc/self/fd/${handle.fd}` : path;
  try {
    if (isLinux && isClosedToUs((await handle.stat()).mode)) await openUp(base, 0);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { at: (name) => join(base, name), [Symbol.asyncDispose]: () => (isLinux ? handle.close() : done) };
}

const done = Promise.resolve();

/** Undefined if there is no such file, or if it is a link, a folder or anything else that opens without waiting. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  return await openOrUndefined(path, fileFlags);
}

/** What cannot be opened (missing, a link) counts as missing. */
function openOrUndefined(path: string, flags: number): Promise<FileHandle | undefined> {
  const opened = open(path, flags).catch(async (error: unknown) => {
    if (!isLinux || errorCode(error) !== "EACCES") throw error;
    await openUp(path, constants.O_NOFOLLOW);
    return await open(path, flags);
  });
  return orUndefined(opened, ...absences);
}

/** Root needs no rights; any other user needs all of them to list a folder. */
function isClosedToUs(mode: number): boolean {
  return process.geteuid?.() !== 0 && (mode & 0o700) !== 0o700;
}

/** Code may remove the owner's rights to its files and folders, and the bot is the owner. Links stay as they are. */
export async function openUp(path: string, flags: number = constants.O_NOFOLLOW): Promise<void> {
  if (!isLinux) return;
  const handle = await open(path, pathOnly | flags).catch(() => undefined);
  if (handle === undefined) return;
  try {
    const stats = await handle.stat();
    const wanted = stats.isDirectory() ? 0o700 : stats.isFile() ? 0o400 : 0;
    if ((stats.mode & wanted) !== wanted)
      await chmod(`/proc/self/fd/${handle.fd}`, (stats.mode & 0o7777) | wanted);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  } finally {
    await handle.close();
  }
}

const absences = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENXIO", "ENAMETOOLONG", "ESTALE"];

/** Whether a path leads to nothing usable. */
export function isAbsence(error: unknown): boolean {
  return absences.includes(errorCode(error) ?? "");
}

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
  return (await orUndefined(readdir(path, { withFileTypes: true }), ...absences)) ?? [];
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
    if (isAbsence(error) || errorCode(error) === "EISDIR") return false;
    throw error;
  }
}

async function removeWithin(path: string, rest: string, options: { emptied?: true }): Promise<boolean> {
  await using folder = await openFolder(path);
  return folder !== undefined && (await removeForeignFile(folder.at("."), rest, options));
}
