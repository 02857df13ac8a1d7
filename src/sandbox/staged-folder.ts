import { chmod, cp, lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";

/**
 * Copies a folder so that an unprivileged user can read it, whatever its owner and modes are. Links stay links
 * (those that lead out dangle inside the sandbox); devices, sockets, repository data and the folders that `leftOut` names are left out.
 */
export async function stageFolder(
  folder: string,
  target: string,
  leftOut: readonly string[] = [],
): Promise<void> {
  const without = new Set(leftOut.map((path) => join(folder, path)));
  await cp(folder, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      if (basename(source) === ".git" || without.has(source)) return false;
      const found = await lstat(source);
      return found.isDirectory() || found.isFile() || found.isSymbolicLink();
    },
  });
  await chmod(target, 0o755);
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isExecutable = entry.isDirectory() || ((await lstat(path)).mode & 0o111) !== 0;
    await chmod(path, isExecutable ? 0o755 : 0o644);
  }
}
