/**
 * Opens files written by untrusted code that may be changing them: no link is ever followed. On Linux each folder is opened and its entries
 * are reached through the open folder, so that none can be replaced by a link in between (proc_pid_fd(5)). On other systems no such code
 * runs at the same time, and paths are used.
 */
import { constants } from "node:fs";
import { chmod, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

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
export async function openFile(path: string): Promise<FileHandle | undefined> {
  return await openOrUndefined(path, fileFlags);
}

/** What cannot be opened (missing, a link) counts as missing. */
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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

const absences = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENXIO", "ENAMETOOLONG", "ESTALE"];

/** Whether a path leads to nothing usable. */
export function isAbsence(error: unknown): boolean {
  return absences.includes(codeOf(error));
}
