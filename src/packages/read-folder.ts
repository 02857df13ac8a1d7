import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, refusedEntry } from "./package-refusal.ts";
import {
  createPackageTree,
  type PackageContents,
  type PackageFile,
  type PackageTree,
} from "./package-tree.ts";

/** The files of a folder of this machine. Links are left out. @throws PackageRefusal */
export async function readFolder(
  root: string,
  limits: PackageLimits,
  signal: AbortSignal,
): Promise<PackageFile[]> {
  return [...(await listFolder(root, limits, signal, () => true)).files];
}

/** The entries of a folder of this machine, and the wanted files. Links are listed, not followed. @throws PackageRefusal */
export async function listFolder(
  root: string,
  limits: PackageLimits,
  signal: AbortSignal,
  isWanted: (path: string) => boolean,
): Promise<PackageContents> {
  const tree = createPackageTree({ limits, isWanted });
  await walk({ tree, signal, root: await realpath(root) }, "");
  return tree.contents();
}

interface Walk {
  tree: PackageTree;
  signal: AbortSignal;
  root: string;
}

async function walk(at: Walk, prefix: string): Promise<void> {
  const { tree, signal, root } = at;
  for (const name of (await readdir(join(root, prefix))).toSorted()) {
    signal.throwIfAborted();
    if (name === ".git") continue;
    const path = `${prefix}${name}`;
    const absolute = join(root, path);
    const found = await lstat(absolute);
    if (found.isSymbolicLink()) await takeLink(at, absolute, path);
    else if (found.isDirectory()) {
      tree.addFolder(path);
      await walk(at, `${path}/`);
    } else if (found.isFile()) await take(tree, absolute, path, found.size);
    else throw refusedEntry("special_file", path, "is a device, a pipe or another special file");
  }
}

/** An absolute target counts as relative to the package if it lies in it. */
async function takeLink({ tree, root }: Walk, absolute: string, path: string): Promise<void> {
  const target = await readlink(absolute);
  const below = isAbsolute(target) ? relative(root, target) : "";
  if (below !== "" && !isAbsolute(below)) tree.addLink(path, below.replaceAll(sep, "/"), "");
  else tree.addLink(path, target.replaceAll(sep, "/"));
}

async function take(tree: PackageTree, absolute: string, path: string, bytes: number): Promise<void> {
  const file = tree.claim(path, bytes);
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
