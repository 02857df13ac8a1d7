import { randomUUID } from "node:crypto";
import { chmod, lchown, lstat, mkdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { openUp } from "./open-foreign.ts";

/** Makes what a run needs of a folder: its parts, and an output folder, whatever an earlier run put in its place or closed. */
export async function prepareArea(root: string, area: string): Promise<void> {
  for (const name of ["input", "work", "skills", area])
    await mkdir(join(root, name), { recursive: true, mode: 0o755 });
  const own = join(root, area);
  const { mode, uid, gid } = await lstat(own);
  if ((mode & 0o755) !== 0o755) await chmod(own, (mode & 0o7777) | 0o755);
  const output = join(own, "output");
  const there = await lstat(output).catch(() => undefined);
  if (there?.isDirectory() === true) return await openUp(output);
  if (there?.isSymbolicLink() === true) await unlink(output);
  else if (there !== undefined) await rename(output, join(own, `output-${randomUUID().slice(0, 8)}`));
  await mkdir(output, { mode: 0o755 });
  // Made by root, it would be closed to the user that code runs as there.
  if (uid !== process.geteuid?.()) await lchown(output, uid, gid);
}
