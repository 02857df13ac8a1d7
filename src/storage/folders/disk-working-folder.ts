import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { safeFileName } from "../../base/file-kind.ts";
import type { Mutex, NewFile } from "../../core/ports/storage.ts";
import {
  type FileChange,
  type FolderListing,
  type FolderUse,
  folderLimits,
  type MountedFolder,
  type OpenedFile,
  type WorkingFile,
  type WorkingFolder,
} from "../../core/ports/working-folder.ts";
import { guarded } from "../storage-error.ts";
import { nameFor } from "../stored-names.ts";
import { writeWhole } from "../whole-file.ts";
import { type FolderIndex, readIndex, sizeOf, takenStock, writeIndex } from "./folder-index.ts";
import { areaOf, areaOfWriter, areasIn, isHidden, relativePath, seenAs, shown } from "./folder-paths.ts";
import { beginRun, changesOfRun, copiesFor, endRun, type IsLive } from "./folder-runs.ts";
import { openForeignFile, removeForeignFile } from "./foreign-files.ts";
import { forgetFiles } from "./forget-files.ts";
import { full, mountedFolder, prepareArea, tooManyFiles } from "./mounted-folder.ts";

/** Code of other users reads the files. */
const fileMode = 0o644;

/** A folder on the disk, and what it shares with other folders. */
export interface DiskWorkingFolder {
  /** Contains `input`, `work` and `skills/ID`, and the records of their files and runs. */
  root: string;
  /** Of all processes that work in the folder. */
  mutex: Mutex;
  maxBytes: number;
  /** Creates the folder itself, unless it exists. */
  make(): Promise<void>;
  clear(): Promise<void>;
}

/** The methods of a folder throw StorageError when the disk is full or cannot be used. */
export function createDiskWorkingFolder(folder: DiskWorkingFolder): WorkingFolder {
  const { root, mutex } = folder;
  const isLive = isLiveIn(folder);
  return {
    attach: (file, from) => changing(folder, (index) => attachFile(folder, index, file, from)),
    list: () => listFiles(folder),
    open: (path) => openFile(folder, path),
    use: (how, work, signal) => useFolder(folder, how, work, signal),
    write: (file, how, signal) => writeOutput(folder, file, how, signal),
    interrupted: (callId) =>
      changing(folder, async (index) =>
        (await exists(root)) ? await changesOfRun(root, index, callId, isLive) : [],
      ),
    handOver: (paths) => changing(folder, (index) => handOver(folder, index, paths)),
    remove: (path) => changing(folder, (index) => removeFile(root, index, path)),
    forget: (turnIds, what = {}) =>
      changing(folder, (index) => forgetFiles(root, index, { gone: new Set(turnIds), ...what }, isLive)),
    clear: () => mutex.run(keyOf(folder, "index"), () => folder.clear()),
  };
}

/** The key of a part of a folder: processes may see the folder under different paths. */
function keyOf({ root }: DiskWorkingFolder, part: string): string {
  return `folder ${basename(root)} ${part}`;
}

/** A run holds a key of its own until it has ended. */
function runKey(folder: DiskWorkingFolder, run: string): string {
  return keyOf(folder, `run ${run}`);
}

function isLiveIn(folder: DiskWorkingFolder): IsLive {
  return (run) => folder.mutex.isBusy(runKey(folder, run));
}

/** Runs `work` on the index and stores its changes, one at a time for each folder. */
async function changing<T>(folder: DiskWorkingFolder, work: (index: FolderIndex) => Promise<T>): Promise<T> {
  const { root, mutex } = folder;
  return await mutex.run(keyOf(folder, "index"), (ensureHeld) =>
    guarded(root, async () => {
      const { index, damaged } = await readIndex(root);
      const before = JSON.stringify([...index]);
      if (damaged) await writeIndex(root, index);
      const value = await work(index);
      ensureHeld();
      if (JSON.stringify([...index]) !== before) await writeIndex(root, index);
      return value;
    }),
  );
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function attachFile(
  { root, maxBytes, make }: DiskWorkingFolder,
  index: FolderIndex,
  file: NewFile,
  { turn_id, by }: { turn_id: string; by?: string | undefined },
): Promise<WorkingFile> {
  const bytes = file.data.byteLength;
  const used = sizeOf(index);
  await make();
  await mkdir(join(root, "input"), { recursive: true, mode: 0o755 });
  const { path, changed_at } = await keepInput(root, file, () => {
    if (used + bytes > maxBytes) throw full(used, maxBytes);
    if (index.size >= folderLimits.files) throw tooManyFiles();
  });
  const known = index.get(path);
  const turns = [...new Set([...(known?.turns ?? []), turn_id])];
  const named = by === undefined ? {} : { by };
  index.set(path, { bytes, changed_at, turns, ...named });
  return { path: shown(path), bytes, changed_at, ...named };
}

async function listFiles({ root, maxBytes }: DiskWorkingFolder): Promise<FolderListing> {
  const { index } = await readIndex(root);
  const files: WorkingFile[] = [];
  let bytes = 0;
  for (const area of await areasIn(root)) {
    for (const file of (await takenStock(root, area)).files) {
      bytes += file.bytes;
      const path = seenAs(area, file.path);
      if (isHidden(path)) continue;
      const by = index.get(path)?.by;
      const { bytes: size, changed_at } = file;
      files.push({ path: shown(path), bytes: size, changed_at, ...(by === undefined ? {} : { by }) });
    }
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: files.slice(0, folderLimits.files), bytes, most_bytes: maxBytes };
}

async function openFile(folder: DiskWorkingFolder, path: string): Promise<OpenedFile | undefined> {
  const relative = relativePath(path);
  if (relative === undefined) return undefined;
  const { area, rest } = areaOf(relative);
  const found = rest === "" ? undefined : await openForeignFile(join(folder.root, area), rest);
  if (found !== undefined) return openedFile(shown(relative), found);
  // Code may spell the letters of a name differently (NFD on a Mac) from people and models.
  const form = shown(relative).normalize("NFC");
  const { files } = await listFiles(folder);
  const other = files.find((file) => file.path.normalize("NFC") === form)?.path;
  return other === undefined || other === shown(relative) ? undefined : await openFile(folder, other);
}

async function useFolder<T>(
  folder: DiskWorkingFolder,
  how: FolderUse,
  work: (mounted: MountedFolder) => Promise<T>,
  signal: AbortSignal,
): Promise<{ value: T; changed: readonly FileChange[] }> {
  const area = areaOfWriter(how.writer);
  const run = randomUUID();
  const begin = () => {
    signal.throwIfAborted();
    return runIn(folder, { run, area, how }, work);
  };
  // In this order, the run of a killed process counts as ended when its part of the folder is free.
  return await folder.mutex.run(runKey(folder, run), () =>
    how.shared ? begin() : folder.mutex.run(keyOf(folder, area), begin),
  );
}

async function runIn<T>(
  folder: DiskWorkingFolder,
  { run, area, how }: { run: string; area: string; how: FolderUse },
  work: (mounted: MountedFolder) => Promise<T>,
): Promise<{ value: T; changed: readonly FileChange[] }> {
  const { root, maxBytes } = folder;
  const { call_id, turn_id, text } = how;
  const { index, from } = await changing(folder, async (known) => {
    await folder.make();
    await prepareArea(root, area);
    const named = await beginRun(root, known, { run, call_id, turn_id, area, text }, isLiveIn(folder));
    return { index: known, from: named };
  });
  let failed = true;
  let value: T;
  let changed: readonly FileChange[] = [];
  try {
    const copies = copiesFor(root, run);
    value = await work(await mountedFolder(how, { root, area, index, named: from, copies, maxBytes }));
    failed = false;
  } finally {
    const ended = { run, turn_id, area, from, failed };
    changed = await changing(folder, (known) => endRun(root, known, ended));
  }
  return { value, changed };
}

async function writeOutput(
  folder: DiskWorkingFolder,
  { name, data }: Pick<NewFile, "name" | "data">,
  how: FolderUse,
  signal: AbortSignal,
): Promise<readonly FileChange[]> {
  const { root, mutex, maxBytes } = folder;
  const output = join(root, areaOfWriter(how.writer), "output");
  const write = async ({ room }: MountedFolder) => {
    if (data.byteLength > room) throw full(maxBytes - room, maxBytes);
    const path = join(output, safeFileName(name));
    await mutex.run(keyOf(folder, "index"), () => writeWhole(root, path, data, fileMode));
  };
  return (await useFolder(folder, how, write, signal)).changed;
}

async function handOver(
  folder: DiskWorkingFolder,
  index: FolderIndex,
  paths: readonly string[],
): Promise<string[]> {
  const fresh: string[] = [];
  for (const path of paths) {
    const relative = relativePath(path) ?? "";
    const known = index.get(relative);
    const file = await openFile(folder, path);
    if (file === undefined) continue;
    const hash = await hashOf(file).finally(() => file.close());
    if (known?.given === hash) continue;
    fresh.push(path);
    const { bytes, changed_at } = file;
    index.set(relative, { bytes, changed_at, ...known, given: hash });
  }
  return fresh;
}

async function removeFile(root: string, index: FolderIndex, path: string): Promise<boolean> {
  const relative = relativePath(path);
  if (relative === undefined) return false;
  const { area, rest } = areaOf(relative);
  const removed = rest !== "" && (await removeForeignFile(join(root, area), rest));
  if (removed) index.delete(relative);
  return removed;
}

/** A file in a working folder, as `WorkingFolder.open` promises. */
function openedFile(path: string, { handle, stats }: { handle: FileHandle; stats: BigIntStats }): OpenedFile {
  const bytes = Number(stats.size);
  return {
    path,
    bytes,
    changed_at: Number(stats.mtimeMs),
    descriptor: handle.fd,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, bytes - offset));
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

/** The sha256 of a file, in hex. */
async function hashOf(file: OpenedFile): Promise<string> {
  const hash = createHash("sha256");
  const chunk = 1_048_576;
  for (let offset = 0; offset < file.bytes; offset += chunk) hash.update(await file.read(offset, chunk));
  return hash.digest("hex");
}

/** Writes an attachment under a free name, unless it is there already. `allow` throws if there is no space for another one. */
async function keepInput(
  root: string,
  { name, data }: Pick<NewFile, "name" | "data">,
  allow: () => void,
): Promise<{ path: string; changed_at: number }> {
  let isNew = true;
  const free = await nameFor({ name }, undefined, async (tried) => {
    const found = await openForeignFile(join(root, "input"), tried);
    if (found === undefined) return false;
    const { stats, handle } = found;
    isNew = Number(stats.size) !== data.byteLength || Buffer.compare(await handle.readFile(), data) !== 0;
    await handle.close();
    return isNew;
  });
  const path = `input/${free}`;
  if (isNew) allow();
  if (isNew) await writeWhole(root, join(root, path), data, fileMode);
  return { path, changed_at: (await stat(join(root, path))).mtimeMs };
}
