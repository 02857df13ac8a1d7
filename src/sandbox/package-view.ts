import { lstat, readdir, readlink, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import { outputFolder } from "./isolation.ts";

/** Names that a working folder needs itself, and repository data. */
const never: ReadonlySet<string> = new Set(["input", outputFolder, ".git"]);

/**
 * Lets a skill's code find the files of its package from its working directory, as its guide names them: `python3 scripts/x.py`,
 * `cd templates`. Each file and folder at the top of the package becomes a link there, unless the name is taken. The links lead to
 * `target`, where the package is mounted read-only; those that lead nowhere any more are removed.
 */
export async function linkPackage(folder: string, target: string, working: MountedFolder): Promise<void> {
  const own = working.mounts.find(
    ({ to, writable }) => writable && `${working.working}/`.startsWith(`${to}/`),
  );
  if (own === undefined) return;
  const at = join(own.from, working.working.slice(own.to.length));
  const there = new Set((await readdir(folder)).filter((name) => !never.has(name)));
  for (const { name } of (await readdir(at, { withFileTypes: true })).filter((entry) =>
    entry.isSymbolicLink(),
  )) {
    const path = join(at, name);
    const isGone = !there.has(name) && (await readlink(path)) === `${target}/${name}`;
    if (isGone) await unlink(path);
  }
  for (const name of there) {
    const path = join(at, name);
    const isTaken = await lstat(path).then(
      () => true,
      () => false,
    );
    // Another run of the skill may make the same link now.
    if (!isTaken) await symlink(`${target}/${name}`, path).catch(unlessThere);
  }
}

function unlessThere(error: unknown): void {
  if ((error as { code?: unknown }).code !== "EEXIST") throw error;
}
