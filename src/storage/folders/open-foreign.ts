/**
 * Opening what untrusted code wrote, and may be changing while we look: no link is ever followed. On Linux each folder is opened and its
 * entries are reached through the open folder, so that none can be swapped for a link in between (proc_pid_fd(5)); elsewhere no such
 * code runs beside us, and paths do.
 */
import { constants } from "node:fs";
import { chmod, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

const isLinux = process.platform === "linux";

/** open(2): a descriptor that names a place, whatever rights it has. Node has no name for it. */
const pathOnly = 0o10000000;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not blocking: a named pipe without a writer would hold the bot up. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An open folder, or its path where there is no way through open folders. */
export interface OpenFolder extends AsyncDisposable {
  at(name: string): string;
}

/** Undefined when there is no such folder, or a link in its place. One that is closed to us is opened up. */
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

/** Undefined when there is no such file, or a link, a folder or anything else in its place that needs no waiting to be opened. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  return await openOrUndefined(path, fileFlags);
}

/** What cannot be opened (gone, a link) is not there. */
async function openOrUndefined(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags).catch(async (error: unknown) => {
      if (!isLinux || codeOf(error) !== "EACCES") throw error;
      await openUp(path, constants.O_NOFOLLOW);
      return await open(path, flags);
    });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Root needs no rights; another user lists a folder with all of them. */
function isClosedToUs(mode: number): boolean {
  return process.geteuid?.() !== 0 && (mode & 0o700) !== 0o700;
}

/** Code may take the rights to its files and folders from their owner, which we are. Links stay as they are. */
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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

const absences = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENXIO", "ENAMETOOLONG", "ESTALE"];

/** Whether a path leads to nothing that we may use. */
export function isAbsence(error: unknown): boolean {
  return absences.includes(codeOf(error));
}
