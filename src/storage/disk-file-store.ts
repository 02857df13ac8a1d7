import { Buffer } from "node:buffer";
import { lstat, mkdir, opendir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { orUndefined } from "../base/error-text.ts";
import { safeMediaType } from "../base/file-kind.ts";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { FileStore, StoredFile } from "../core/ports/storage.ts";
import { guarded } from "./storage-error.ts";
import { badTurnError, isStoredName, isTurnId, nameFor } from "./stored-names.ts";
import { writeWhole } from "./whole-file.ts";

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
  /** Undefined for what is no id of a turn. */
  const inFolderOf = async <T>(turnId: string, work: (turnFolder: string) => Promise<T>) => {
    const turnFolder = join(folder, turnId);
    return isTurnId(turnId) ? await guarded(turnFolder, () => work(turnFolder)) : undefined;
  };
  const changing = <T>(turnId: string, work: (turnFolder: string) => Promise<T>) =>
    busy.run(turnId, () => inFolderOf(turnId, work));
  return {
    async put(turnId, file, replaces) {
      const safe = { ...file, media_type: safeMediaType(file.media_type) };
      const stored = await changing(turnId, async (turnFolder) => {
        await mkdir(turnFolder, { recursive: true, mode: 0o700 });
        const isTaken = async (name: string) => {
          const there = await readStored(turnFolder, name);
          if (there === undefined) return false;
          return there.file.media_type !== safe.media_type || Buffer.compare(there.data, safe.data) !== 0;
        };
        const name = await nameFor(file, replaces, isTaken);
        const { media_type, data } = safe;
        await writeWhole(turnFolder, join(turnFolder, typeName(name)), JSON.stringify({ media_type }));
        await writeWhole(turnFolder, join(turnFolder, name), data);
        return { name, media_type, bytes: data.byteLength };
      });
      if (stored === undefined) throw badTurnError(turnId);
      return stored;
    },
    get: async (turnId, name) =>
      isStoredName(name) ? inFolderOf(turnId, (turnFolder) => readStored(turnFolder, name)) : undefined,
    async remove(turnId, name) {
      if (!isStoredName(name)) return;
      await changing(turnId, async (turnFolder) => {
        await rm(join(turnFolder, name), { force: true });
        await rm(join(turnFolder, typeName(name)), { force: true });
      });
    },
    forget: (turnId) => changing(turnId, (turnFolder) => rm(turnFolder, { recursive: true, force: true })),
    async *turns() {
      const opened = await guarded(folder, () => orUndefined(opendir(folder), "ENOENT"));
      if (opened === undefined) return;
      for await (const { name } of opened) {
        const found = await inFolderOf(name, (turnFolder) => orUndefined(lstat(turnFolder), "ENOENT"));
        if (found?.isDirectory()) yield { turn_id: name, changed_at: found.mtimeMs };
      }
    },
    // A removed file leaves nothing in others.
    scrub: async () => {},
  };
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
  return orUndefined(read(), "ENOENT");
}
