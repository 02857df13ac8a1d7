import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import { StorageError, toStorageError } from "../storage-error.ts";
import type { SqliteTurnLog } from "./sqlite-turn-log.ts";
import { turnLogMigrations } from "./turn-log-schema.ts";

/**
 * The turn log and the key-value store carry the same rising number. It is written to the log first and noted in the store when it is on
 * the disk there, so a log whose number is lower has lost what it had: its file was emptied or replaced, or its write-ahead log is gone. The
 * number does not depend on turns, which may be deleted. It is the `application_id` of the file, which copies and VACUUM keep.
 */
const markKey = "turn-log-mark";

/** Time between two marks, ms: a loss of less than this is not noticed. */
const markMs = 60_000;

/** Marks the log now, each minute in which turns came, and when `end` is called. `end` never throws. */
export async function keepLogMarked(
  folder: string,
  log: SqliteTurnLog,
  store: KeyValue,
  clock: Clock,
): Promise<{ end(): Promise<void> }> {
  const stopped = new AbortController();
  let mark = Math.max(logMark(join(folder, "turns.db")).mark, await notedMark(store));
  let newest: string | undefined;
  const write = async () => {
    const [latest] = await log.list({ limit: 1 });
    if (mark > 0 && latest?.turn_id === newest && newest !== undefined) return;
    mark += 1;
    await log.mark(mark);
    await store.set(markKey, mark);
    newest = latest?.turn_id;
  };
  await write();
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

async function notedMark(store: KeyValue): Promise<number> {
  return Number((await store.get(markKey)) ?? 0);
}

/**
 * Refuses a folder whose turn log is empty or older than its store. Changes nothing. A log in the format of an earlier version is accepted:
 * earlier versions write no mark, and a copy from before an upgrade is restored on purpose.
 * @throws StorageError `lost`
 */
export function refuseLostLog(folder: string): void {
  const file = join(folder, "turns.db");
  const noted = notedIn(join(folder, "state.db"));
  const { mark, version } = logMark(file);
  if (mark >= noted || (version > 0 && version < turnLogMigrations.length)) return;
  const what = version === 0 ? "is empty" : "is older than the other stores";
  throw new StorageError(
    "lost",
    file,
    `The turn log ${file} ${what}: conversations that were stored in it are missing. Nothing was changed. Were turns.db or turns.db-wal deleted or copied without each other? Put both back, or restore a backup (\`knack restore FILE --replace\`), or go on without what is missing: \`knack start --accept-empty-log\``,
  );
}

/** What the store has noted; 0 for none, or for a store that cannot be read, which is reported when it is opened. */
function notedIn(file: string): number {
  const row = peek(file, `SELECT value FROM "keyv" WHERE key = '${markKey}' AND namespace = ''`);
  const { value } = JSON.parse(String(row?.value ?? "{}")) as { value?: unknown };
  return Number(value ?? 0);
}

/** Mark and format of a turn log; 0 where there is none. */
function logMark(file: string): { mark: number; version: number } {
  const row = peek(
    file,
    "SELECT application_id AS mark, user_version AS version FROM pragma_application_id, pragma_user_version",
  );
  return { mark: Number(row?.mark ?? 0), version: Number(row?.version ?? 0) };
}

/** The first row of a query; undefined if the file is missing or empty, or lacks the table. */
function peek(file: string, sql: string): Record<string, unknown> | undefined {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const isNew = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
      return isNew ? undefined : database.prepare(sql).get();
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStorageError(error, file);
  }
}
