import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { errorCode } from "../base/error-text.ts";
import type { PackageFinding } from "../core/skill/packages.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, refusedEntry } from "./package-refusal.ts";
import {
  createPackageTree,
  type PackageContents,
  type PackageFile,
  type PackageTree,
  packagePath,
} from "./package-tree.ts";

/** The entries of a folder of this machine, and the wanted files. Links are listed, not followed. @throws PackageRefusal */
export async function listFolder(
  root: string,
  limits: PackageLimits,
  signal: AbortSignal,
  isWanted: (path: string) => boolean,
): Promise<PackageContents> {
  const tree = createPackageTree(limits, isWanted);
  const real = await realpath(root);
  for await (const { path, absolute, found } of entriesBelow(real, signal)) {
    if (found.isSymbolicLink()) await takeLink(tree, real, absolute, path);
    else if (found.isDirectory()) tree.addFolder(path);
    else if (found.isFile()) await take(tree, absolute, path, found.size);
    else throw refusedEntry("special_file", path, "is a device, a pipe or another special file");
  }
  return tree.contents();
}

/** What is at a place of this machine as it is, and findings on what no package may have or was not read. @throws PackageRefusal */
export async function readInPlace(place: string, limits: PackageLimits, signal: AbortSignal) {
  const files: PackageFile[] = [];
  const findings: PackageFinding[] = [];
  let bytes = 0;
  const root = await placeOf(place);
  const own = await lstat(root);
  const entries = own.isDirectory()
    ? entriesBelow(root, signal)
    : [{ path: basename(root), absolute: root, found: own }];
  for await (const { path, absolute, found } of entries) {
    if (found.isDirectory()) continue;
    const add = (code: string, message: string) =>
      findings.push({ severity: "warning", code, message, path });
    if (files.length >= limits.files || bytes + found.size > limits.unpacked_bytes) {
      const most = `${limits.files} files or ${limits.unpacked_bytes / 1_000_000} MB`;
      add("partly_reviewed", `There is more in it than ${most}; the rest was not reviewed.`);
      break;
    }
    if (!found.isFile()) {
      const what = found.isSymbolicLink() ? "a link" : "a device, a pipe or another special file";
      add("not_reviewed", `It is ${what}, and was not reviewed.`);
      continue;
    }
    const odd = oddName(path, limits);
    if (odd !== undefined) add(odd, "Its name would keep it out of a package: others read it differently.");
    const data = await readOneFile(absolute, limits.unpacked_bytes);
    bytes += data.length;
    files.push({ path, data, executable: (found.mode & 0o111) !== 0 });
  }
  return { files, findings };
}

async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new PackageRefusal("no_files", `It has no files that could be reviewed (${path}).`, error);
  }
}

/** The reason why no package may have a name. */
function oddName(path: string, limits: PackageLimits): string | undefined {
  try {
    packagePath(path, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    return error.code;
  }
}

interface Entry {
  path: string;
  absolute: string;
  found: Stats;
}

/** All that is below a folder, in order, folders before what they hold. */
async function* entriesBelow(root: string, signal: AbortSignal, prefix = ""): AsyncGenerator<Entry> {
  for (const name of (await readdir(join(root, prefix))).toSorted()) {
    signal.throwIfAborted();
    if (name === ".git") continue;
    const path = `${prefix}${name}`;
    const absolute = join(root, path);
    const found = await lstat(absolute);
    yield { path, absolute, found };
    if (found.isDirectory()) yield* entriesBelow(root, signal, `${path}/`);
  }
}

/** An absolute target counts as relative to the package if it lies in it. */
async function takeLink(tree: PackageTree, root: string, absolute: string, path: string): Promise<void> {
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
