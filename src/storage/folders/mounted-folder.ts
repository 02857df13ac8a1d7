import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, lchown, lstat, mkdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { formatBytes } from "../../base/amounts.ts";
import {
  type FolderUse,
  folderLimits,
  folderRoot,
  inputFolder,
  type MountedFolder,
  skillFolder,
  WorkingFolderError,
} from "../../core/ports/working-folder.ts";
import { type FolderIndex, sizeOf } from "./folder-index.ts";
import { areaOf, shown } from "./folder-paths.ts";
import {
  type ForeignFiles,
  listForeignFiles,
  maxFolderDepth,
  openForeignFile,
  openUp,
} from "./foreign-files.ts";

interface Mounting {
  root: string;
  area: string;
  index: FolderIndex;
  /** Files that the call names. */
  named: readonly string[];
  /** Folder for copies of files during the run; does not exist yet. */
  copies: string;
  maxBytes: number;
}

/** Minimum bytes that code may write, so that it can tidy up a full folder. */
const minRoom = 1_000_000;

/** Maximum entries of a folder that are counted before a run, if it has more than allowed. */
const maxCounted = 4 * folderLimits.files;

/** What one run sees of a folder. */
export async function mountedFolder(
  { writer }: FolderUse,
  { root, area, index, named, copies, maxBytes }: Mounting,
): Promise<MountedFolder> {
  const own = writer.kind === "agent" ? folderRoot : skillFolder(writer.id);
  const input = { from: join(root, "input"), to: inputFolder, writable: false };
  const skills = { from: join(root, "skills"), to: `${folderRoot}/skills`, writable: false };
  const isOthers = (path: string) => !["input", area].includes(areaOf(path).area);
  const others = writer.kind === "agent" ? [skills] : await copied(root, copies, named.filter(isOthers));
  const start = sizeOf(index, area);
  const beside = sizeOf(index) - start;
  // Code may tidy up a folder with too many entries.
  const before = await listForeignFiles(join(root, area), maxCounted);
  const maxEntries = Math.max(folderLimits.files, before.entries);
  const maxInArea = Math.max(maxBytes - beside, start + minRoom);
  return {
    mounts: [{ from: join(root, area), to: own, writable: true }, input, ...others],
    working: own,
    output: `${own}/output`,
    room: maxInArea - start,
    async exceeded(deleted = 0) {
      const there = await listForeignFiles(join(root, area), maxEntries + 1);
      const bytes = there.files.reduce((sum, file) => sum + file.bytes, deleted);
      return (
        excessIn(there, maxEntries) ??
        (bytes > maxInArea ? full(beside + bytes, maxBytes).message : undefined)
      );
    },
  };
}

/**
 * Files of others are shown as copies: a mount follows links, and code that can write there may replace a file by a link at any time. A
 * copy is also readable if the file's rights exclude others.
 */
async function copied(
  root: string,
  copies: string,
  paths: readonly string[],
): Promise<MountedFolder["mounts"]> {
  const mounts: MountedFolder["mounts"][number][] = [];
  for (const path of paths) {
    const { area, rest } = areaOf(path);
    const found = await openForeignFile(join(root, area), rest);
    if (found === undefined) continue;
    const { ino, size, mtimeNs } = found.stats;
    await mkdir(copies, { recursive: true, mode: 0o755 });
    const from = join(copies, String(mounts.length));
    const source = found.handle.createReadStream({ end: Math.max(0, Number(size) - 1) });
    await pipeline(source, createWriteStream(from, { mode: 0o644 }));
    mounts.push({ from, to: shown(path), writable: false, version: `${ino} ${size} ${mtimeNs}` });
  }
  return mounts;
}

/** Creates the parts of a folder that a run needs, and an output folder, even if an earlier run replaced or closed it. */
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
  // Created by root, it would be closed to the user that code runs as.
  if (uid !== process.geteuid?.()) await lchown(output, uid, gid);
}

export function full(used: number, most: number): WorkingFolderError {
  const message = `The folder of this thread is full: ${formatBytes(used)} of ${formatBytes(most)} are used. What is there is kept.`;
  const hint = "Remove files that are not needed any more, or an operator raises files.thread_megabytes.";
  return new WorkingFolderError("folder_full", `${message} ${hint}`);
}

export function tooManyFiles(): WorkingFolderError {
  const most = folderLimits.files.toLocaleString("en");
  const message = `The folder of this thread has more than ${most} files and folders, as many as it may have. What is there is kept: remove some, or pack them into one.`;
  return new WorkingFolderError("folder_full", message);
}

/** Why a part of a folder exceeds its limits, apart from the size of its files; undefined if it does not. */
function excessIn({ entries, cut }: ForeignFiles, maxEntries = folderLimits.files): string | undefined {
  if (entries > maxEntries || cut === "entries") return tooManyFiles().message;
  if (cut === undefined) return undefined;
  return `The folder of this thread has folders that lie more than ${maxFolderDepth} deep. What is there is kept: move or remove them.`;
}
