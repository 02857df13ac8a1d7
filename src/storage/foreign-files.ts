/**
 * Files that untrusted code wrote, and may be changing while we look: nothing here ever follows a link. On Linux each folder is opened
 * and its entries are reached through the open folder, so that none can be swapped for a link in between (proc_pid_fd(5)); elsewhere no
 * such code runs beside us, and paths do.
 */
import { type BigIntStats, constants, type Stats } from "node:fs";
import { chmod, type FileHandle, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A regular file below a folder. */
export interface ForeignFile {
  /** Relative to the folder, with forward slashes. */
  path: string;
  /** What it takes: its length, or its blocks where they are more. */
  bytes: number;
  /** ms since the epoch, with fractions. */
  changed_at: number;
}

/** Folders within folders that are looked into. */
const deepest = 40;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not blocking: a named pipe without a writer would hold the bot up. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An open folder, or its path where there is no way through open folders. */
interface Folder extends AsyncDisposable {
  at(name: string): string;
}

/** Undefined when there is no such folder, or a link in its place. */
async function openFolder(path: string): Promise<Folder | undefined> {
  const handle = await openOrUndefined(path, folderFlags);
  if (handle === undefined) return undefined;
  const base = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
  return { at: (name) => join(base, name), [Symbol.asyncDispose]: () => handle.close() };
}

/** What cannot be opened (gone, a link, closed to us) is not there. */
async function openOrUndefined(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENXIO", "ENAMETOOLONG", "ESTALE"].includes(code);
}

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
  const handle = await openOrUndefined(join(folder, first), fileFlags);
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

/** All regular files below a folder, at most so many; hidden ones too. */
export async function listForeignFiles(folder: string, most: number): Promise<ForeignFile[]> {
  const found: ForeignFile[] = [];
  const add = async (place: string, path: string): Promise<void> => {
    const stats = await lstat(place).catch(() => undefined);
    if (stats?.isFile() !== true) return;
    found.push({ path, bytes: sizeOf(stats), changed_at: stats.mtimeMs });
  };
  const look = async (path: string, prefix: string, depth: number): Promise<void> => {
    await using opened = await openFolder(path);
    if (opened === undefined || depth > deepest) return;
    const entries = await readdir(opened.at("."), { withFileTypes: true });
    for (const entry of entries) {
      if (found.length >= most) return;
      const place = opened.at(entry.name);
      if (entry.isDirectory()) await look(place, `${prefix}${entry.name}/`, depth + 1);
      else if (entry.isFile()) await add(place, prefix + entry.name);
    }
  };
  await look(folder, "", 0);
  return found;
}

/** Removes a folder and everything below it, also what was closed to us. */
export async function removeForeignFolder(path: string): Promise<void> {
  await openUp(path);
  await using folder = await openFolder(path);
  if (folder === undefined) return;
  for (const entry of await readdir(folder.at("."), { withFileTypes: true })) {
    if (entry.isDirectory()) await removeForeignFolder(folder.at(entry.name));
    else await ignoreAbsence(unlink(folder.at(entry.name)));
  }
  await ignoreAbsence(rmdir(path));
}

/** Removes one file; false when there is none. */
export async function removeForeignFile(folder: string, path: string): Promise<boolean> {
  const [first = "", ...rest] = path.split("/");
  if (rest.length > 0) {
    await using within = await openFolder(join(folder, first));
    return within !== undefined && (await removeForeignFile(within.at("."), rest.join("/")));
  }
  try {
    await unlink(join(folder, first));
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Code may take our rights from its folders. */
async function openUp(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700)
    await chmod(path, 0o700).catch(() => {});
}

/** What was filled again meanwhile, or is gone already, is for the next sweep. */
async function ignoreAbsence(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isAbsence(error) && code !== "ENOTEMPTY" && code !== "EISDIR") throw error;
  }
}
