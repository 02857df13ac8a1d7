import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type HeldFolders, recoverChange } from "./change-journal.ts";
import type { PackageFile } from "./package-tree.ts";

/**
 * Runs work with a folder of its own for its change. When the work has ended, the change is completed or undone, as after a crash, and the
 * folder is removed.
 */
export async function withStaging<T>(held: HeldFolders, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(held.folders.staging, randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await recoverChange(held, folder);
  }
}

/** Runs work that changes nothing with a folder of its own, beside any change. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "knack-review-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folders of changes; those that a killed bot left, if there is no change now. */
export async function leftovers(staging: string): Promise<string[]> {
  await mkdir(staging, { recursive: true, mode: 0o700 });
  return (await readdir(staging)).map((name) => join(staging, name));
}

/** Writes checked files into an empty folder. None of it is writable for others, whatever the archive said. */
export async function writeFiles(root: string, files: readonly PackageFile[]): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  const made = new Set([root]);
  for (const { path, data, executable } of files) {
    const target = join(root, path);
    const folder = dirname(target);
    if (!made.has(folder)) {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      made.add(folder);
    }
    await writeFile(target, data, { flag: "wx", mode: executable ? 0o755 : 0o644 });
  }
}
