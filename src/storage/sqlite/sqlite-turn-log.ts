import type { TurnHealth, TurnLog } from "../../core/log/turn-log.ts";
import type { DueEntries } from "../../core/ports/schedules.ts";
import { type StoreClock, systemTime } from "../store-clock.ts";
import { createDueEntries } from "../turns/due-entries.ts";
import { createForgetting } from "../turns/turn-forgetting.ts";
import { createTurnReading } from "../turns/turn-reading.ts";
import { createTurnRemoval } from "../turns/turn-removal.ts";
import { backlogOf, wokenBySignal } from "../turns/turn-rows.ts";
import { createAccepting } from "./sqlite-accepting.ts";
import { createAppending } from "./sqlite-appending.ts";
import { createClaiming } from "./sqlite-claiming.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";
import { refreshLane } from "./sqlite-lanes.ts";
import { sqliteTurnTables } from "./sqlite-turn-tables.ts";
import { turnLogFormat } from "./turn-log-schema.ts";

/**
 * Opens or creates a turn log in a SQLite file. Several processes may have the same file open.
 * @throws StorageError, as does every method
 */
export async function openSqliteTurnLog(
  path: string,
  { clock, ...options }: SqliteOptions & { clock?: StoreClock } = {},
): Promise<SqliteTurnLog> {
  return createTurnLog(await openSqlite(path, turnLogFormat, options), clock);
}

/** A turn log, and the entries that come due by themselves, in one file. */
export interface SqliteTurnLog extends TurnLog {
  readonly due: DueEntries;
  /** The mark of the file (`log-mark.ts`), 0 in a new one: its `application_id`, which copies and VACUUM keep. */
  mark(): number;
  /** Resolves when the mark and everything before it are on the disk. */
  setMark(mark: number): Promise<void>;
}

/** The turn log on an open file that has its tables. */
export function createTurnLog(connection: SqliteConnection, clock = systemTime): SqliteTurnLog {
  const tables = sqliteTurnTables(connection);
  const forgetting = createForgetting(tables);
  return {
    ...createAccepting(connection),
    ...createClaiming(connection, clock),
    ...createAppending(connection),
    ...createHealth(connection, clock),
    ...createTurnReading(tables),
    ...forgetting,
    ...createTurnRemoval(tables, forgetting),
    signal: (turnId, signal, at) => storeSignal(connection, turnId, signal, at),
    scrub: ({ rebuild } = {}) => (rebuild ? connection.rebuild() : connection.truncateLog()),
    due: createDueEntries(tables),
    mark: () => Number(connection.get("PRAGMA application_id")?.application_id),
    async setMark(mark) {
      await connection.write(() => connection.run(`PRAGMA application_id = ${Math.trunc(mark)}`));
      await connection.durable();
    },
    close: () => connection.close(),
  };
}

const counts = `
  SELECT status, count(*) AS turns FROM turns INDEXED BY turns_unfinished
  WHERE status <> 'finished' GROUP BY status`;

const held = `
  SELECT count(*) AS turns FROM turns INDEXED BY turns_suspect
  WHERE suspect = 1 AND head = 1 AND lease IS NULL AND due_at = 0`;

// Turns that wait for a worker: new or woken heads, and waits and leases that ended, since then.
const oldest = `
  SELECT min(at) AS at FROM (
    SELECT min(accepted_at) AS at FROM turns
      WHERE ordinal IN (SELECT min(ready) FROM lanes WHERE ready IS NOT NULL GROUP BY lane)
    UNION ALL SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'waiting' AND due_at <= ?1
    UNION ALL SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'running' AND due_at <= ?1)`;

const write = "INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at";

/** The health of the log, and how much work it holds. */
function createHealth(connection: SqliteConnection, clock: StoreClock): TurnHealth {
  return {
    async backlog() {
      return backlogOf(connection.all(counts), connection.get(held), connection.get(oldest, clock.now()));
    },
    async probe(at) {
      await connection.write(() => connection.run(write, at));
      await connection.durable();
    },
  };
}

const wake = `
  UPDATE turns SET woken = woken | ${wokenBySignal}, due_at = iif(status = 'waiting', 0, due_at)
  WHERE turn_id = ? AND status <> 'finished' RETURNING status, lane, namespace`;

/** Stores a signal for a turn that is not finished, and wakes the turn if it waits. */
async function storeSignal(
  connection: SqliteConnection,
  ...[turnId, signal, at]: Parameters<TurnLog["signal"]>
): Promise<boolean> {
  const stored = await connection.transaction(() => {
    const row = connection.get(wake, turnId);
    if (row === undefined) return false;
    if (row.status === "waiting") refreshLane(connection, row.lane as string, row.namespace as string);
    const insert = "INSERT INTO signals (turn_id, at, body) VALUES (?, ?, ?)";
    return connection.run(insert, turnId, at, JSON.stringify(signal)) === 1;
  });
  await connection.durable();
  return stored;
}
