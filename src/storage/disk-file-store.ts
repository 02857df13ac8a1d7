import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, opendir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { FileStore, StoredFile } from "../core/ports/storage.ts";
import { safeMediaType } from "../core/values/file-kind.ts";
import { toStorageError } from "./storage-error.ts";
import { badTurnError, isStoredName, isTurnId, nameFor } from "./stored-names.ts";

/** Next to each file, hidden: names of stored files never begin with a dot. */
const typeSchema = z.object({ media_type: z.string() });
/** The name of the file with the type of a stored file; without it, the store has no such file. */
export const typeName = (name: string) => `.${name}.type`;

/**
 * Files under `folder/<turn id>/<name>`, for this user alone (0700, 0600). Each is written to a temporary name and then renamed. Names and
 * turn ids that are not ours (separators, leading dots) are not found. For one process: the data folder has one owner. Its methods throw
 * StorageError when the disk is full or cannot be used.
 */
export function createDiskFileStore(folder: string): FileStore {
  const busy = new KeyedMutex();
  const guarded = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toStorageError(error, path);
    }
  };
  return {
    put(turnId, file, replaces) {
      const turnFolder = folderOf(folder, turnId);
      if (turnFolder === undefined) return Promise.reject(badTurnError(turnId));
      const safe = { ...file, media_type: safeMediaType(file.media_type) };
      return busy.run(turnId, () =>
        guarded(turnFolder, async () => {
          await mkdir(turnFolder, { recursive: true, mode: 0o700 });
          const isTaken = async (name: string) => {
            const there = await readStored(turnFolder, name);
            if (there === undefined) return false;
            return there.file.media_type !== safe.media_type || Buffer.compare(there.data, safe.data) !== 0;
          };
          const name = await nameFor(file, replaces, isTaken);
          await writeWhole(turnFolder, typeName(name), JSON.stringify({ media_type: safe.media_type }));
          await writeWhole(turnFolder, name, safe.data);
          return { name, media_type: safe.media_type, bytes: safe.data.byteLength };
        }),
      );
    },
    get(turnId, name) {
      const turnFolder = folderOf(folder, turnId);
      if (turnFolder === undefined || !isStoredName(name)) return Promise.resolve(undefined);
      return guarded(turnFolder, () => readStored(turnFolder, name));
    },
    async remove(turnId, name) {
      const turnFolder = folderOf(folder, turnId);
      if (turnFolder === undefined || !isStoredName(name)) return;
      await busy.run(turnId, () =>
        guarded(turnFolder, async () => {
          await rm(join(turnFolder, name), { force: true });
          await rm(join(turnFolder, typeName(name)), { force: true });
        }),
      );
    },
    async forget(turnId) {
      const turnFolder = folderOf(folder, turnId);
      if (turnFolder === undefined) return;
      await busy.run(turnId, () =>
        guarded(turnFolder, () => rm(turnFolder, { recursive: true, force: true })),
      );
    },
    async *turns() {
      const opened = await guarded(folder, () => orUndefined(opendir(folder)));
      if (opened === undefined) return;
      for await (const { name } of opened) {
        const turnFolder = folderOf(folder, name);
        if (turnFolder === undefined) continue;
        const found = await guarded(turnFolder, () => orUndefined(lstat(turnFolder)));
        if (found?.isDirectory()) yield { turn_id: name, changed_at: found.mtimeMs };
      }
    },
    // A removed file leaves nothing in others.
    scrub: async () => {},
  };
}

function folderOf(folder: string, turnId: string): string | undefined {
  return isTurnId(turnId) ? join(folder, turnId) : undefined;
}

/** The result of a disk operation; undefined for a missing file. */
async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function readStored(
  turnFolder: string,
  name: string,
): Promise<{ file: StoredFile; data: Uint8Array } | undefined> {
  const path = join(turnFolder, name);
  const read = async () => {
    if (!(await lstat(path)).isFile()) return undefined;
    const { buffer, byteOffset, byteLength } = await readFile(path);
    const data = new Uint8Array(buffer, byteOffset, byteLength);
    const stored = await readFile(join(turnFolder, typeName(name)), "utf8");
    const { media_type } = typeSchema.parse(JSON.parse(stored));
    return { file: { name, media_type, bytes: data.byteLength }, data };
  };
  return orUndefined(read());
}

/** A crash leaves the old file or the new one, never a part. */
async function writeWhole(turnFolder: string, name: string, content: string | Uint8Array): Promise<void> {
  const draft = join(turnFolder, `.${randomUUID()}.draft`);
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(turnFolder, name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
