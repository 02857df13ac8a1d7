import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { errorText } from "../../base/error-text.ts";
import { sharedRun } from "../../base/shared-run.ts";
import { guarded, StorageError } from "../storage-error.ts";
import { syncToDisk } from "../whole-file.ts";
import type { Checkpoint, CheckpointWorkerData } from "./checkpoint-worker.ts";

/** Writes pending changes of a file to the disk. */
type SyncFile = (file: FileHandle) => Promise<void>;

export const defaultBusyTimeoutMs = 5_000;

/** Default number of pages in the write-ahead log after which it is copied into the database: 16 MB. Each copy costs two syncs. */
const defaultCheckpointPages = 4_000;

/** Commits between two checks of the number of pages in the log. */
const commitsPerLook = 16;

export interface WriteAheadLogOptions {
  /** How long a write, or a checkpoint, waits for another process, ms; default 5,000. The event loop continues meanwhile. */
  busyTimeoutMs?: number | undefined;
  /** How a file is synced; default fdatasync. */
  sync?: SyncFile | undefined;
  /** Pages in the log after which it is copied into the database; default 4,000. */
  checkpointPages?: number | undefined;
}

/**
 * Returns a row with `log` and `checkpointed`: the pages in the log, and those of them that are in the database. It copies nothing (SQLite
 * 3.51; earlier versions copy like PASSIVE). https://sqlite.org/pragma.html#pragma_wal_checkpoint
 */
export const logPages = "PRAGMA wal_checkpoint(NOOP)";

/**
 * The disk side of a SQLite file in WAL mode: the event loop writes, and waits neither for a sync nor for a checkpoint.
 *
 * The connection runs with `synchronous = NORMAL` and `wal_autocheckpoint = 0`: a commit writes to the write-ahead log and returns. Callers
 * that need it on the disk await `durable`: an fdatasync of the log on a thread of libuv, shared by all who wait (group commit). A sync
 * always covers the log from its beginning, so everything committed earlier is on the disk too. Checkpoints run in a worker thread on a
 * connection of its own.
 */
export interface WriteAheadLog {
  /** To be called after each commit. */
  wrote(): void;
  /** Resolves when every commit before the call is on the disk. @throws StorageError */
  durable(): Promise<void>;
  /** Copies the log into the database and empties it, unless another process is reading just now. */
  truncate(): Promise<void>;
  /**
   * Rewrites the database without its free space and empties the log: no deleted content is left in either. Nobody else can write until it
   * resolves. @throws StorageError: nothing is lost, and the free space is as it was
   */
  rebuild(): Promise<void>;
  /** Waits for running syncs and checkpoints. */
  close(): Promise<void>;
}

/**
 * Opens the write-ahead log of an open SQLite file that has been read or written. The handle is a second one on the log: SQLite keeps no
 * locks on that file that closing it could drop. `look` runs `logPages` and returns its row.
 * @throws StorageError
 */
export async function openWriteAheadLog(
  path: string,
  look: () => Promise<unknown> | unknown,
  options: WriteAheadLogOptions,
): Promise<WriteAheadLog> {
  const { sync = (file) => file.datasync(), checkpointPages = defaultCheckpointPages } = options;
  if (path === ":memory:") return noWriteAheadLog;
  const file = await guarded(path, () => open(`${path}-wal`, "r"));
  // A new file is on the disk once its folder is.
  await guarded(path, () => syncToDisk(dirname(path)));
  const group = createGroupSync(() => guarded(path, () => sync(file)));
  const checkpoints = createCheckpoints({ path, timeout: options.busyTimeoutMs ?? defaultBusyTimeoutMs });
  let commits = 0;
  const copyWhenLong = async () => {
    const { log, checkpointed } = (await look()) as { log: number; checkpointed: number };
    if (log - checkpointed >= checkpointPages) await checkpoints.run("RESTART");
  };
  let copying: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  return {
    wrote() {
      group.wrote();
      commits += 1;
      if (commits % commitsPerLook !== 0) return;
      // If the check fails now, the next one comes soon.
      copying ??= copyWhenLong()
        .catch(() => {})
        .finally(() => {
          copying = undefined;
        });
    },
    durable: group.durable,
    truncate: () => checkpoints.run("TRUNCATE").catch(() => {}),
    rebuild: () =>
      checkpoints.run("REBUILD").catch((cause: unknown) => {
        // Of a worker's error only the message arrives.
        const reason = errorText(cause);
        throw new StorageError(
          "unavailable",
          path,
          `The store ${path} could not be written again (${reason})`,
          { cause },
        );
      }),
    close() {
      closed ??= Promise.resolve(copying).then(async () => {
        await checkpoints.close();
        await group.idle();
        await file.close();
      });
      return closed;
    },
  };
}

/** For a database in memory: it is never on a disk. */
export const noWriteAheadLog: WriteAheadLog = {
  wrote: () => {},
  durable: () => Promise.resolve(),
  truncate: () => Promise.resolve(),
  rebuild: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** One sync at a time; all callers that come while one runs share the next, which begins after it and so covers what they wrote. */
function createGroupSync(sync: () => Promise<void>) {
  let dirty = false;
  let last = Promise.resolve();
  const run = sharedRun(async () => {
    dirty = false;
    await sync().catch((error: unknown) => {
      dirty = true;
      throw error;
    });
  });
  return {
    wrote() {
      dirty = true;
    },
    durable(): Promise<void> {
      // The last sync covers everything if nothing was written after it began.
      if (dirty) last = run();
      return last;
    },
    idle: () => Promise.allSettled([last]),
  };
}

/** Runs checkpoints one after another in a worker, which starts with the first one. A failed one ends the worker and rejects. */
function createCheckpoints(workerData: CheckpointWorkerData) {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const start = () => {
    const started = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { workerData });
    started.unref();
    started.on("exit", () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };
  const inWorker = (mode: Checkpoint) =>
    new Promise<void>((resolve, reject) => {
      worker ??= start();
      const here = worker;
      const settle = (end: () => void) => () => {
        here.off("message", done).off("exit", ended).off("error", failed);
        end();
      };
      const done = settle(resolve);
      // A worker that is being ended reports nothing.
      const ended = done;
      const failed = (error: unknown) => settle(() => reject(error))();
      here.on("message", done).on("exit", ended).on("error", failed);
      here.postMessage(mode);
    });
  return {
    run(mode: Checkpoint): Promise<void> {
      const work = last.then(() => inWorker(mode));
      last = work.catch(() => {});
      return work;
    },
    async close() {
      await last;
      await worker?.terminate();
    },
  };
}
