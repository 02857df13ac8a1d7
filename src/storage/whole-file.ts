import { randomUUID } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes a file to the disk, in place of the one of that name. A crash leaves the old file or the new one, never a part.
 * @param drafts the folder in which it is written first, on the same file system
 */
export async function writeWhole(
  drafts: string,
  path: string,
  data: string | Uint8Array,
  mode = 0o600,
): Promise<void> {
  const draft = join(drafts, `.${randomUUID()}.draft`);
  try {
    await writeFile(draft, data, { mode, flag: "wx", flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}
