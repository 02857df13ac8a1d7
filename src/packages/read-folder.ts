import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, shownName } from "./package-refusal.ts";
import { createPackageTree, type PackageFile, type PackageTree } from "./package-tree.ts";

/** The files of a folder of this machine. Links and special files are refused, not followed. @throws PackageRefusal */
export async function readFolder(
  root: string,
  limits: PackageLimits,
  signal: AbortSignal,
): Promise<PackageFile[]> {
  const tree = createPackageTree(limits);
  await walk(tree, signal, root, "");
  return [...tree.files];
}

async function walk(tree: PackageTree, signal: AbortSignal, folder: string, prefix: string): Promise<void> {
  for (const name of (await readdir(folder)).toSorted()) {
    signal.throwIfAborted();
    if (name === ".git") continue;
    const path = `${prefix}${name}`;
    const absolute = join(folder, name);
    const found = await lstat(absolute);
    if (found.isSymbolicLink()) {
      throw new PackageRefusal("link", `${shownName(path)} is a link. Nothing was installed; copy the file.`);
    }
    if (found.isDirectory()) {
      tree.addFolder(path);
      await walk(tree, signal, absolute, `${path}/`);
    } else if (found.isFile()) await take(tree, absolute, path);
    else {
      const message = `${shownName(path)} is a device, a pipe or another special file. Nothing was installed.`;
      throw new PackageRefusal("special_file", message);
    }
  }
}

async function take(tree: PackageTree, absolute: string, path: string): Promise<void> {
  const file = tree.claim(path);
  if (file === undefined) return;
  // The system refuses a file that has become a link meanwhile; a pipe must not block the reader.
  const handle = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    file.grow(stats.size);
    const data = await readUpTo(handle, stats.size);
    file.finish(data, (stats.mode & 0o111) !== 0);
  } finally {
    await handle.close();
  }
}

/** At most `size` bytes: a file that grows while it is read is cut, and its hash is of the bytes read. */
async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await handle.read(buffer, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.subarray(0, at);
}

/** The bytes of one file of this machine. A link to it is followed, because a person named it. @throws PackageRefusal when too large. */
export async function readOneFile(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      const message = `The file has ${size} bytes; packages have at most ${maxBytes}. Nothing was installed.`;
      throw new PackageRefusal("archive_too_large", message);
    }
    return await readUpTo(handle, size);
  } finally {
    await handle.close();
  }
}
