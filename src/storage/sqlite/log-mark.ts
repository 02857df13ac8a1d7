import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import { StorageError } from "../storage-error.ts";
import type { SqliteTurnLog } from "./sqlite-turn-log.ts";

/**
 * The turn log and the key-value store carry the same rising number. It is written to the log first and noted in the store when it is on
 * the disk there, so a log whose number is lower has lost what it had: its file was emptied or replaced, or its write-ahead log is gone. The
 * number does not depend on turns, which may be deleted.
 */
const markKey = "turn-log-mark";

/** Time between two marks, ms: a loss of less than this is not noticed. */
const markMs = 60_000;

export interface LogMarkOptions {
  /** Path of the log, for the refusal. */
  path: string;
  store: KeyValue;
  clock: Clock;
  /** Also accepts a log that has lost something. */
  accept: boolean;
}

/**
 * Marks the log now, in each minute that brings turns, and in `end`, which never throws.
 * @throws StorageError for a log that is empty or older than the store; it is as it was
 */
export async function keepLogMarked(
  log: SqliteTurnLog,
  { path, store, clock, accept }: LogMarkOptions,
): Promise<{ end(): Promise<void> }> {
  const noted = Number((await store.get(markKey)) ?? 0);
  const found = log.mark();
  if (found < noted && !accept) throw lostError(path, found);
  let mark = Math.max(found, noted);
  let marked: string | undefined;
  const write = async () => {
    const [newest] = await log.list({ limit: 1 });
    if (marked === (newest?.turn_id ?? "")) return;
    mark += 1;
    await log.setMark(mark);
    await store.set(markKey, mark);
    marked = newest?.turn_id ?? "";
  };
  await write();
  const stopped = new AbortController();
  const repeat = async () => {
    while (!stopped.signal.aborted) {
      await clock.sleep(markMs, stopped.signal).catch(() => {});
      // A store that fails now is reported by what needs it; the next minute tries again.
      await write().catch(() => {});
    }
  };
  const repeating = repeat();
  return {
    end() {
      stopped.abort();
      return repeating;
    },
  };
}

function lostError(path: string, found: number): StorageError {
  const what = found === 0 ? "is empty" : "is older than the other stores";
  const message = `The turn log ${path} ${what}: conversations that were stored in it are missing. Were turns.db or turns.db-wal deleted, or copied without each other? Put both back, or restore a backup (\`knack restore FILE --replace\`), or go on without what is missing: \`knack start --accept-empty-log\``;
  return new StorageError("corrupt", path, message);
}
