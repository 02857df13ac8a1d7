import { randomUUID } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { numberedFileName, safeFileName } from "../../core/values/file-kind.ts";
import { openForeignFile } from "./foreign-files.ts";

/**
 * Writes a file to a folder under a name that is free there, or finds it there already. `root` is where it is written first.
 * `allow` throws where there is no room for another one.
 */
export async function keepInput(
  root: string,
  folder: string,
  file: { name: string; data: Uint8Array },
  allow: () => void,
): Promise<{ name: string; changed_at: number }> {
  const { name, isNew } = await freeName(folder, file);
  if (isNew) allow();
  const path = join(folder, name);
  if (isNew) await replaceFile(root, path, file.data);
  return { name, changed_at: (await stat(path)).mtimeMs };
}

/** The file's own name, or the next number behind it that is free, or has this very file already. */
async function freeName(folder: string, { name, data }: { name: string; data: Uint8Array }) {
  const wanted = safeFileName(name);
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? wanted : numberedFileName(wanted, number);
    const found = await openForeignFile(folder, tried);
    if (found === undefined) return { name: tried, isNew: true };
    const isSame =
      Number(found.stats.size) === data.byteLength &&
      Buffer.compare(await found.handle.readFile(), data) === 0;
    await found.handle.close();
    if (isSame) return { name: tried, isNew: false };
  }
}

/** Writes a file, in the place of whatever has its name. A crash leaves the whole file or none. */
export async function replaceFile(root: string, path: string, data: Uint8Array): Promise<void> {
  const draft = join(root, `.${randomUUID()}.draft`);
  try {
    await writeFile(draft, data, { mode: 0o644, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
