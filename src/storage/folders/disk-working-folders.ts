import { hash, randomUUID } from "node:crypto";
import { mkdir, opendir, rename, rmdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, orUndefined } from "../../base/error-text.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { Mutex } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import { namespaceSchema, type Place, threadSchema } from "../../core/values/place.ts";
import { createDiskWorkingFolder } from "./disk-working-folder.ts";
import { readJson, writeJson } from "./folder-json.ts";
import {
  entriesOf,
  isAbsence,
  maxFolderDepth,
  type OpenFolder,
  openFolder,
  openUp,
} from "./foreign-files.ts";

const ownerName = "thread.json";
const ownerSchema = z.object({ namespace: namespaceSchema, thread: threadSchema });
/** Prefix of folders that are being removed; if a crash leaves one, the next sweep removes it. */
const removedPrefix = "leaving-";

/**
 * Working folders under `folder`, one for each thread, named by a hash of its place, for this user alone (0700). Processes that work there
 * at the same time share `mutex`; without it, there is one process.
 */
export function createDiskWorkingFolders(
  folder: string,
  { maxBytes, mutex = new KeyedMutex() }: { maxBytes: number; mutex?: Mutex | undefined },
): WorkingFolders {
  const pathOf = (place: Place) => join(folder, nameOf(place));
  return {
    of(place) {
      const path = pathOf(place);
      return createDiskWorkingFolder({
        root: path,
        mutex,
        maxBytes,
        make: () => makeFor(place, path),
        async clear() {
          const away = join(folder, `${removedPrefix}${randomUUID()}`);
          await orUndefined(rename(path, away), "ENOENT");
          await removeForeignFolder(away);
        },
      });
    },
    async *all() {
      const opened = await orUndefined(opendir(folder), "ENOENT");
      if (opened === undefined) return;
      for await (const entry of opened) {
        const path = join(folder, entry.name);
        if (entry.name.startsWith(removedPrefix)) await removeForeignFolder(path);
        const place = entry.name.startsWith(removedPrefix) ? undefined : await ownerOf(path);
        const stats = await stat(path).catch(() => undefined);
        if (place !== undefined && stats !== undefined) yield { place, changed_at: stats.mtimeMs };
      }
    },
  };
}

/** Names of threads are not valid file names. */
function nameOf({ namespace, thread }: Place): string {
  return hash("sha256", `${namespace}\n${thread}`, "hex").slice(0, 32);
}

/** Creates the folder and records its thread. */
async function makeFor({ namespace, thread }: Place, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      const owner = await readJson(join(path, ownerName), ownerSchema);
      if (owner.status !== "read") await writeJson(path, ownerName, { namespace, thread });
      return;
    } catch (error) {
      // A concurrent sweep removed it as an empty folder without an owner.
      if (errorCode(error) !== "ENOENT" || attempt === 3) throw error;
    }
  }
}

/** The thread a folder belongs to. A folder without one is left from a crash during its creation, and is empty. */
async function ownerOf(path: string): Promise<Place | undefined> {
  try {
    const owner = await readJson(join(path, ownerName), ownerSchema);
    if (owner.status === "read") return owner.value;
  } catch {
    // It cannot be read now; the next sweep tries again.
    return undefined;
  }
  await rmdir(path).catch(() => {});
  return undefined;
}

/**
 * Removes a folder and everything below it, including what the owner has no rights to. Folders may be nested deeper than the limits of
 * descriptors and of path lengths: deep ones are moved up and removed from there. What running code adds meanwhile is left.
 */
async function removeForeignFolder(path: string): Promise<void> {
  await using top = await openFolder(path);
  if (top === undefined) return;
  let moved = true;
  while (moved) moved = await empty(top, top, 1);
  await ignoreAbsence(rmdir(path));
}

/** Whether something was moved to the top. */
async function empty(top: OpenFolder, folder: OpenFolder, depth: number): Promise<boolean> {
  let moved = false;
  for (const entry of await entriesOf(folder.at("."))) {
    const place = folder.at(entry.name);
    if (!entry.isDirectory()) {
      await ignoreAbsence(unlink(place));
    } else if (depth >= maxFolderDepth) {
      await openUp(place);
      moved = (await ignoreAbsence(rename(place, top.at(`deep-${randomUUID()}`)))) || moved;
    } else {
      moved = (await removeWithin(top, place, depth)) || moved;
    }
  }
  return moved;
}

async function removeWithin(top: OpenFolder, place: string, depth: number): Promise<boolean> {
  await using within = await openFolder(place);
  const moved = within !== undefined && (await empty(top, within, depth + 1));
  await ignoreAbsence(rmdir(place));
  return moved;
}

/** False when it was not done: a folder that was filled again, or is already gone, is left to the next sweep. */
async function ignoreAbsence(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    const isLeft = ["ENOTEMPTY", "EEXIST", "EISDIR", "EBUSY"].includes(errorCode(error) ?? "");
    if (!isAbsence(error) && !isLeft) throw error;
    return false;
  }
}
