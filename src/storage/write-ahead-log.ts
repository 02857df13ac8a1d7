import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { toStorageError } from "./storage-error.ts";

/** Brings what was written to a file to the disk. */
export type SyncFile = (file: FileHandle) => Promise<void>;

/** Bytes written to the write-ahead log after which it is copied into the database. */
const checkpointBytes = 16 * 1024 * 1024;

/**
 * The disk side of a SQLite file in WAL mode: the event loop writes, and neither waits for a sync nor for a checkpoint.
 *
 * The connection runs with `synchronous = NORMAL` and `wal_autocheckpoint = 0`: a commit writes to the write-ahead log and
 * returns. Who needs it on the disk awaits `durable`: an fdatasync of the log on a thread of libuv, shared by all who wait
 * (group commit). What is synced is always the log from its beginning, so everything committed earlier is on the disk too.
 * Checkpoints run in a worker thread on a connection of its own.
 */
export interface WriteAheadLog {
  /** A commit wrote about this many bytes. */
  wrote(bytes: number): void;
  /** Resolves when every commit before the call is on the disk. @throws StorageError */
  durable(): Promise<void>;
  /** Copies the log into the database and empties it, unless another process reads just now. */
  truncate(): Promise<void>;
  /** Waits for syncs and checkpoints under way. */
  close(): Promise<void>;
}

/**
 * Opens the write-ahead log of an open SQLite file that has been read or written. The handle is a second one on the log:
 * SQLite keeps no locks on that file, which closing it could drop.
 * @throws StorageError
 */
export async function openWriteAheadLog(
  path: string,
  sync: SyncFile = (file) => file.datasync(),
): Promise<WriteAheadLog> {
  if (path === ":memory:") return nowhere;
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toStorageError(error, path);
    });
  const file = await guarded(open(`${path}-wal`, "r"));
  await guarded(syncFolder(dirname(path)));
  const group = createGroupSync(() => guarded(sync(file)));
  // A process that was killed leaves its log behind.
  let pending = (await file.stat()).size;
  let copying: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const copy = (mode: "PASSIVE" | "TRUNCATE") => {
    const before = copying ?? Promise.resolve();
    const mine = before.then(() => checkpoint(path, mode));
    copying = mine;
    return mine.then(() => {
      if (copying === mine) copying = undefined;
    });
  };
  return {
    wrote(bytes) {
      group.wrote();
      pending += bytes;
      if (pending < checkpointBytes || copying !== undefined) return;
      pending = 0;
      void copy("PASSIVE");
    },
    durable: group.durable,
    truncate: () => copy("TRUNCATE"),
    close() {
      closed ??= Promise.resolve(copying).then(async () => {
        await group.idle();
        await file.close();
      });
      return closed;
    },
  };
}

/** Of a database in memory: nothing of it is ever on a disk. */
export const nowhere: WriteAheadLog = {
  wrote: () => {},
  durable: () => Promise.resolve(),
  truncate: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** A new file is on the disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** One sync at a time; all who come while one runs share the next, which begins after it and so covers what they wrote. */
function createGroupSync(sync: () => Promise<void>) {
  let dirty = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    dirty = false;
    running = sync()
      .catch((error: unknown) => {
        dirty = true;
        throw error;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const idle = () => Promise.allSettled([running, next]);
  return {
    wrote() {
      dirty = true;
    },
    durable(): Promise<void> {
      // A sync under way that nothing was written after covers everything.
      if (!dirty) return running ?? Promise.resolve();
      next ??= Promise.allSettled([running]).then(begin);
      return next;
    },
    async idle() {
      await idle();
      await idle();
    },
  };
}

/** Resolves when the worker has ended. A checkpoint that fails is made up for by the next one, or when the file is opened. */
function checkpoint(path: string, mode: string): Promise<void> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: { path, mode },
    });
    worker.unref();
    worker.on("error", () => {});
    worker.on("exit", () => resolve());
  });
}
