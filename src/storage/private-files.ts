import { closeSync, openSync } from "node:fs";
import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, orUndefined } from "../base/error-text.ts";

/** Rights of everyone but the owner. */
const ofOthers = 0o077;
const sticky = 0o1000;

/** Creates a file that only its owner can read, unless it exists. SQLite gives the other files of a database the same rights. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // SQLite reports any other reason more precisely.
    if (errorCode(error) === undefined) throw error;
  }
}

/**
 * Removes everyone else's rights to a data folder and its databases, whatever rights they had. Folders within need no
 * change: nobody else can reach them. Returns what remains open to others, in words for an operator. A folder of another user, or one that
 * users share (sticky), is left as it is.
 */
export async function makePrivate(folder: string): Promise<string | undefined> {
  const exposed = await exposure(folder);
  try {
    if (exposed !== undefined) {
      if (((await stat(folder)).mode & sticky) !== 0) return exposed;
      await chmod(folder, 0o700);
    }
    for (const name of await readdir(folder)) {
      // SQLite may remove a file of its own at any time.
      if (/\.(db|db-wal|db-shm|db\.v\d+|json|key)$/.test(name))
        await orUndefined(chmod(join(folder, name), 0o600), "ENOENT");
    }
    return undefined;
  } catch (error) {
    if (["EPERM", "EROFS"].includes(errorCode(error) ?? "")) return exposed;
    throw error;
  }
}

/** What others can do with a data folder that is not private, in words for an operator; undefined if it is private, and on Windows. */
export async function exposure(folder: string): Promise<string | undefined> {
  const { mode, uid } = await stat(folder);
  if ((mode & ofOthers) === 0 || process.platform === "win32") return undefined;
  const whose = process.getuid?.() === uid ? "" : ` and belongs to user ${uid}`;
  return `The data folder ${folder} is open to other users of this machine (mode ${(mode & 0o7777).toString(8)})${whose}: it holds conversations and tokens`;
}
