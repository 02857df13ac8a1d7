import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { KeyedMutex } from "../base/keyed-mutex.ts";
import { formatBytes } from "../core/format-bytes.ts";
import {
  type FileChange,
  type FolderUse,
  folderLimits,
  folderRoot,
  inputFolder,
  type MountedFolder,
  type OpenedFile,
  skillFolder,
  type WorkingFile,
  type WorkingFolder,
  WorkingFolderError,
} from "../core/working-folder.ts";
import {
  type FolderIndex,
  madeFrom,
  namedIn,
  readIndex,
  readOpenRun,
  removeOpenRun,
  sizeOf,
  updateIndex,
  writeIndex,
  writeOpenRun,
} from "./folder-index.ts";
import {
  areaOf,
  areaOfWriter,
  areasIn,
  diskPath,
  isHidden,
  relativePath,
  seenAs,
  shown,
} from "./folder-paths.ts";
import { listForeignFiles, openForeignFile, removeForeignFile } from "./foreign-files.ts";
import { keepInput } from "./input-files.ts";
import { toStorageError } from "./storage-error.ts";

export interface DiskWorkingFolderOptions {
  /** Has `input`, `work` and `skills/ID`, and beside them what is known of their files. */
  path: string;
  busy: KeyedMutex;
  mostBytes: number;
  /** Makes the folder itself, unless it is there. */
  make(): Promise<void>;
  clear(): Promise<void>;
}

/** Bytes that code may always write, so that it can tidy up a full folder. */
const leastRoom = 1_000_000;

/** A folder on the disk. Its methods throw StorageError when the disk is full or cannot be used. */
export function createDiskWorkingFolder({
  path: root,
  busy,
  mostBytes,
  make,
  clear,
}: DiskWorkingFolderOptions): WorkingFolder {
  /** What runs a crash ended have changed, until the call asks for it. */
  const settled = new Map<string, FileChange[]>();

  const changing = async <T>(work: (index: FolderIndex) => Promise<T>): Promise<T> =>
    busy.run(`${root} index`, async () => {
      try {
        const index = await readIndex(root);
        const before = JSON.stringify([...index]);
        const value = await work(index);
        if (JSON.stringify([...index]) !== before) await writeIndex(root, index);
        return value;
      } catch (error) {
        throw toStorageError(error, root);
      }
    });

  /** Takes stock of a part of the folder: what changed since the last time is what this run did. */
  const takeStock = (area: string, from: readonly string[]): Promise<FileChange[]> =>
    changing(async (index) => {
      const there = await listForeignFiles(join(root, area), folderLimits.files);
      const changes = updateIndex(index, area, there, from);
      return changes
        .filter(({ path }) => !isHidden(path))
        .map((each) => ({ ...each, path: shown(each.path) }));
    });

  const settle = async (area: string): Promise<void> => {
    const open = await readOpenRun(root, area);
    if (open === undefined) return;
    settled.set(open.call_id, await takeStock(area, open.from));
    await removeOpenRun(root, area);
  };

  const exists = async () => (await stat(root).catch(() => undefined)) !== undefined;

  const folder: WorkingFolder = {
    attach: (file, { turn_id, by }) =>
      changing(async (index) => {
        const bytes = file.data.byteLength;
        const used = sizeOf(index);
        if (used + bytes > mostBytes || index.size >= folderLimits.files) throw full(used, mostBytes);
        await make();
        await mkdir(join(root, "input"), { recursive: true, mode: 0o755 });
        const { name, changed_at } = await keepInput(root, join(root, "input"), file);
        const path = `input/${name}`;
        const known = index.get(path);
        const turns = [...new Set([...(known?.turns ?? []), turn_id])];
        const named = by === undefined ? {} : { by };
        index.set(path, { bytes, changed_at, turns, ...named });
        return { path: shown(path), bytes, changed_at, ...named };
      }),

    async list() {
      const index = await readIndex(root);
      const files: WorkingFile[] = [];
      let bytes = 0;
      for (const area of await areasIn(root)) {
        for (const file of await listForeignFiles(join(root, area), folderLimits.files)) {
          bytes += file.bytes;
          const path = seenAs(area, file.path);
          if (isHidden(path) || files.length >= folderLimits.files) continue;
          const by = index.get(path)?.by;
          const { bytes: size, changed_at } = file;
          files.push({ path: shown(path), bytes: size, changed_at, ...(by === undefined ? {} : { by }) });
        }
      }
      files.sort((a, b) => (a.path < b.path ? -1 : 1));
      return { files, bytes, most_bytes: mostBytes };
    },

    async open(path) {
      const relative = relativePath(path);
      if (relative === undefined) return undefined;
      const { area, rest } = areaOf(relative);
      const found = rest === "" ? undefined : await openForeignFile(join(root, area), rest);
      if (found === undefined) return undefined;
      const { size, mtimeMs } = found.stats;
      return openedFile(found.handle, {
        path: shown(relative),
        bytes: Number(size),
        changed_at: Number(mtimeMs),
      });
    },

    async use(how, work, signal) {
      const area = areaOfWriter(how.writer);
      const alone = <R>(run: () => Promise<R>) => (how.shared ? run() : busy.run(`${root} ${area}`, run));
      return alone(async () => {
        signal.throwIfAborted();
        await make();
        await Promise.all(
          ["input", "work", "skills", join(area, "output")].map((name) =>
            mkdir(join(root, name), { recursive: true, mode: 0o755 }),
          ),
        );
        await settle(area);
        const index = await readIndex(root);
        const from = namedIn(how.text, index);
        await writeOpenRun(root, area, { call_id: how.call_id, from });
        const takeStockOnce = async () => {
          if (!(await exists())) return [];
          const changes = await takeStock(area, from);
          await removeOpenRun(root, area);
          return changes;
        };
        let value: Awaited<ReturnType<typeof work>>;
        try {
          value = await work(await mounted(how, area, index, from));
        } catch (error) {
          settled.set(how.call_id, await takeStockOnce());
          throw error;
        }
        return { value, changed: await takeStockOnce() };
      });
    },

    async interrupted(callId) {
      for (const area of await areasIn(root)) {
        const open = await readOpenRun(root, area);
        if (open?.call_id === callId) await busy.run(`${root} ${area}`, () => settle(area));
      }
      const changes = settled.get(callId) ?? [];
      settled.delete(callId);
      return changes;
    },

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
        index.delete(relative);
        return rest !== "" && (await removeForeignFile(join(root, area), rest));
      }),

    forget: (turnIds) =>
      changing(async (index) => {
        const gone = new Set(turnIds);
        const removed: string[] = [];
        for (const [path, known] of [...index]) {
          const { turns } = known;
          if (turns === undefined || !turns.some((turn) => gone.has(turn))) continue;
          const rest = turns.filter((turn) => !gone.has(turn));
          if (rest.length > 0) index.set(path, { ...known, turns: rest });
          else {
            await removeForeignFile(root, path);
            index.delete(path);
            removed.push(path);
          }
        }
        const made = madeFrom(removed, index);
        return { removed: removed.map(shown), made_from_them: made.map(shown) };
      }),

    clear: () => busy.run(`${root} index`, clear),
  };

  const mounted = async (
    { writer }: FolderUse,
    area: string,
    index: FolderIndex,
    named: readonly string[],
  ): Promise<MountedFolder> => {
    const own = writer.kind === "agent" ? folderRoot : skillFolder(writer.id);
    const others = sizeOf(index) - sizeOf(index, area);
    const startBytes = sizeOf(index, area);
    const mostInArea = Math.max(mostBytes - others, startBytes + leastRoom);
    const input = { from: join(root, "input"), to: inputFolder, writable: false };
    const shownFiles = named
      .filter((path) => areaOf(path).area !== "input" && areaOf(path).area !== area)
      .map((path) => ({ from: diskPath(root, path), to: shown(path), writable: false }));
    return {
      mounts: [
        { from: join(root, area), to: own, writable: true },
        ...(writer.kind === "agent"
          ? [input, { from: join(root, "skills"), to: `${folderRoot}/skills`, writable: false }]
          : [input, ...shownFiles]),
      ],
      working: own,
      output: `${own}/output`,
      room: mostInArea - startBytes,
      async exceeded() {
        const files = await listForeignFiles(join(root, area), folderLimits.files + 1);
        if (files.length > folderLimits.files)
          return `It has more than ${folderLimits.files.toLocaleString("en")} files, as many as the folder of a thread may have. What is there is kept: remove some, or pack them into one.`;
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        return bytes > mostInArea ? full(others + bytes, mostBytes).message : undefined;
      },
    };
  };
  return folder;
}

function full(used: number, most: number): WorkingFolderError {
  const message = `The folder of this thread is full: ${formatBytes(used)} of ${formatBytes(most)} are used. What is there is kept.`;
  const hint = "Remove files that are not needed any more, or an operator raises files.thread_megabytes.";
  return new WorkingFolderError("folder_full", `${message} ${hint}`);
}

function openedFile(handle: FileHandle, file: WorkingFile): OpenedFile {
  return {
    ...file,
    descriptor: handle.fd,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, file.bytes - offset));
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

async function hashOf(file: OpenedFile): Promise<string> {
  const hash = createHash("sha256");
  const chunk = 1_048_576;
  for (let offset = 0; offset < file.bytes; offset += chunk) hash.update(await file.read(offset, chunk));
  return hash.digest("hex");
}
