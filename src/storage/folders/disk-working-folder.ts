import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { KeyedMutex } from "../../base/keyed-mutex.ts";
import {
  type FolderUse,
  folderLimits,
  type OpenedFile,
  type WorkingFile,
  type WorkingFolder,
} from "../../core/ports/working-folder.ts";
import { safeFileName } from "../../core/values/file-kind.ts";
import { toStorageError } from "../sqlite/storage-error.ts";
import { type FolderIndex, readIndex, sizeOf, takenStock, writeIndex } from "./folder-index.ts";
import { full, tooManyFiles } from "./folder-limits.ts";
import { areaOf, areaOfWriter, areasIn, isHidden, relativePath, seenAs, shown } from "./folder-paths.ts";
import { beginRun, changesOfRun, copiesFor, endRun, type RunningCalls } from "./folder-runs.ts";
import { openForeignFile, removeForeignFile } from "./foreign-files.ts";
import { forgetFiles } from "./forget-files.ts";
import { keepInput, replaceFile } from "./input-files.ts";
import { mountedFolder, prepareArea } from "./mounted-folder.ts";

export interface DiskWorkingFolderOptions {
  /** Has `input`, `work` and `skills/ID`, and beside them what is known of their files and runs. */
  path: string;
  busy: KeyedMutex;
  /** Those of all folders of this process. */
  running: RunningCalls;
  maxBytes: number;
  /** Makes the folder itself, unless it is there. */
  make(): Promise<void>;
  clear(): Promise<void>;
}

/** A folder on the disk. Its methods throw StorageError when the disk is full or cannot be used. */
export function createDiskWorkingFolder({
  path: root,
  busy,
  running,
  maxBytes,
  make,
  clear,
}: DiskWorkingFolderOptions): WorkingFolder {
  const changing = async <T>(work: (index: FolderIndex) => Promise<T>): Promise<T> =>
    busy.run(`${root} index`, async () => {
      try {
        const { index, damaged } = await readIndex(root);
        const before = JSON.stringify([...index]);
        if (damaged) await writeIndex(root, index);
        const value = await work(index);
        if (JSON.stringify([...index]) !== before) await writeIndex(root, index);
        return value;
      } catch (error) {
        throw toStorageError(error, root);
      }
    });

  const exists = async () => (await stat(root).catch(() => undefined)) !== undefined;

  /** What the run changed; nothing where the folder was removed meanwhile. */
  const end = async (run: Parameters<typeof endRun>[2]) =>
    changing(async (index) => await endRun(root, index, run, running));

  const runIn = async <T>(how: FolderUse, area: string, work: Parameters<typeof folder.use<T>>[1]) => {
    const { call_id, turn_id, text } = how;
    const { index, from } = await changing(async (known) => {
      await make();
      await prepareArea(root, area);
      const named = await beginRun(root, known, { call_id, turn_id, area, text }, running);
      return { index: known, from: named };
    });
    let failed = true;
    let value: T;
    let changed: Awaited<ReturnType<typeof end>> = [];
    try {
      const copies = copiesFor(root, call_id);
      value = await work(await mountedFolder(how, { root, area, index, named: from, copies, maxBytes }));
      failed = false;
    } finally {
      changed = await end({ call_id, turn_id, area, from, failed });
    }
    return { value, changed };
  };

  const folder: WorkingFolder = {
    attach: (file, { turn_id, by }) =>
      changing(async (index) => {
        const bytes = file.data.byteLength;
        const used = sizeOf(index);
        await make();
        await mkdir(join(root, "input"), { recursive: true, mode: 0o755 });
        const { name, changed_at } = await keepInput(root, join(root, "input"), file, () => {
          if (used + bytes > maxBytes) throw full(used, maxBytes);
          if (index.size >= folderLimits.files) throw tooManyFiles();
        });
        const path = `input/${name}`;
        const known = index.get(path);
        const turns = [...new Set([...(known?.turns ?? []), turn_id])];
        const named = by === undefined ? {} : { by };
        index.set(path, { bytes, changed_at, turns, ...named });
        return { path: shown(path), bytes, changed_at, ...named };
      }),

    async list() {
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
    },

    async open(path) {
      const relative = relativePath(path);
      if (relative === undefined) return undefined;
      const { area, rest } = areaOf(relative);
      const found = rest === "" ? undefined : await openForeignFile(join(root, area), rest);
      if (found !== undefined) return openedFile(shown(relative), found);
      // Code names files in its own spelling of letters (NFD on a Mac), people and models in another.
      const form = shown(relative).normalize("NFC");
      const other = (await folder.list()).files.find((file) => file.path.normalize("NFC") === form)?.path;
      return other === undefined || other === shown(relative) ? undefined : folder.open(other);
    },

    async use(how, work, signal) {
      const area = areaOfWriter(how.writer);
      const run = () => {
        signal.throwIfAborted();
        return runIn(how, area, work);
      };
      return how.shared ? await run() : await busy.run(`${root} ${area}`, run);
    },

    async write({ name, data }, how, signal) {
      const { changed } = await folder.use(
        how,
        async ({ room }) => {
          if (data.byteLength > room) throw full(maxBytes - room, maxBytes);
          await replaceFile(root, join(root, areaOfWriter(how.writer), "output", safeFileName(name)), data);
        },
        signal,
      );
      return changed;
    },

    interrupted: (callId) =>
      changing(async (index) => ((await exists()) ? await changesOfRun(root, index, callId, running) : [])),

    handOver: (paths) =>
      changing(async (index) => {
        const fresh: string[] = [];
        for (const path of paths) {
          const relative = relativePath(path) ?? "";
          const known = index.get(relative);
          const file = await folder.open(path);
          if (file === undefined) continue;
          const hash = await hashOf(file).finally(() => file.close());
          if (known?.given === hash) continue;
          fresh.push(path);
          const { bytes, changed_at } = file;
          index.set(relative, { bytes, changed_at, ...known, given: hash });
        }
        return fresh;
      }),

    remove: (path) =>
      changing(async (index) => {
        const relative = relativePath(path);
        if (relative === undefined) return false;
        const { area, rest } = areaOf(relative);
        const removed = rest !== "" && (await removeForeignFile(join(root, area), rest));
        if (removed) index.delete(relative);
        return removed;
      }),

    forget: (turnIds, what = {}) =>
      changing((index) => forgetFiles(root, index, { gone: new Set(turnIds), ...what }, running)),

    clear: () => busy.run(`${root} index`, clear),
  };
  return folder;
}

/** A file below a working folder, as `WorkingFolder.open` promises. */
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
