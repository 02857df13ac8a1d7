import { randomUUID } from "node:crypto";
import { rename, rmdir, unlink } from "node:fs/promises";
import { deepestFolder, entriesOf } from "./foreign-files.ts";
import { isAbsence, type OpenFolder, openFolder, openUp } from "./open-foreign.ts";

/**
 * Removes a folder and everything below it, also what was closed to us. Folders may lie in one another deeper than there are
 * descriptors and than a path may be long: what is deep is moved up and removed from there. What code that still runs puts there
 * meanwhile is left.
 */
export async function removeForeignFolder(path: string): Promise<void> {
  await using top = await openFolder(path);
  if (top === undefined) return;
  let moved = true;
  while (moved) moved = await empty(top, top, 1);
  await ignoreAbsence(rmdir(path));
}

/** Answers whether something was moved to the top. */
async function empty(top: OpenFolder, folder: OpenFolder, depth: number): Promise<boolean> {
  let moved = false;
  for (const entry of await entriesOf(folder.at("."))) {
    const place = folder.at(entry.name);
    if (!entry.isDirectory()) {
      await ignoreAbsence(unlink(place));
    } else if (depth >= deepestFolder) {
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

/** False when it was not done: what was filled again meanwhile, or is gone already, is for the next sweep. */
async function ignoreAbsence(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!isAbsence(error) && !["ENOTEMPTY", "EEXIST", "EISDIR", "EBUSY"].includes(code)) throw error;
    return false;
  }
}
