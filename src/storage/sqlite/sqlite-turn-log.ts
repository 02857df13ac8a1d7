import type { Signal, TurnHealth, TurnLog, TurnSignals } from "../../core/log/turn-log.ts";
import type { DueEntries } from "../../core/ports/schedules.ts";
import { type StoreClock, systemTime } from "../store-clock.ts";
import {
  defaultDueEntries,
  dueEntryColumns,
  dueEntryOf,
  dueEntryText,
  takenEntryError,
} from "../turns/due-entry-rows.ts";
import { createThreadReading } from "../turns/thread-reading.ts";
import { createForgetting } from "../turns/turn-forgetting.ts";
import { createTurnRemoval } from "../turns/turn-removal.ts";
import { backlogOf, wokenBySignal } from "../turns/turn-rows.ts";
import { createAccepting } from "./sqlite-accepting.ts";
import { createAppending } from "./sqlite-appending.ts";
import { createClaiming } from "./sqlite-claiming.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions, type SqlRow } from "./sqlite-connection.ts";
import { createDetailsRemoval } from "./sqlite-details.ts";
import { readInbound } from "./sqlite-events.ts";
import { forgettingTables } from "./sqlite-forgetting.ts";
import { refreshLane } from "./sqlite-lanes.ts";
import { createReading } from "./sqlite-reading.ts";
import { sqliteTables } from "./sqlite-tables.ts";
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
  const details = createDetailsRemoval(connection);
  return {
    ...createAccepting(connection),
    ...createClaiming(connection, clock),
    ...createAppending(connection),
    ...createHealth(connection, clock),
    ...createSignalling(connection),
    ...createForgetting(forgettingTables(connection)),
    ...details,
    ...createTurnRemoval({
      ...sqliteTables(connection),
      removeDetails: details.removeDetails,
      threads: "threads INDEXED BY threads_by_activity",
      *lockNamespace() {},
      *dropped(namespace) {
        const lanes = "('urgent', 'command', 'message')";
        yield [`DELETE FROM lanes WHERE lane IN ${lanes} AND namespace = $1`, namespace];
      },
    }),
    ...createReading(connection),
    ...createThreadReading(connection),
    due: createDueEntries(connection),
    mark: () => Number(connection.get("PRAGMA application_id")?.application_id),
    async setMark(mark) {
      await connection.write(() => connection.run(`PRAGMA application_id = ${Math.trunc(mark)}`));
      await connection.durable();
    },
    close: () => connection.close(),
  };
}

const columns = `SELECT ${dueEntryColumns} FROM due_entries`;

/** The entries that come due by themselves, in the file of the turn log. */
function createDueEntries(connection: SqliteConnection): DueEntries {
  const entryOf = (row: SqlRow) => dueEntryOf(row, connection.parse);
  const find = (id: string) => {
    const row = connection.get(`${columns} WHERE id = ?`, id);
    return row === undefined ? undefined : entryOf(row);
  };
  const durably = async <T>(work: () => T): Promise<T> => {
    const result = await connection.write(work);
    await connection.durable();
    return result;
  };
  return {
    async add({ id, namespace, shown_in = null, kind, due_at = null, value }) {
      const text = dueEntryText(value);
      const insert = `INSERT INTO due_entries (${dueEntryColumns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
      const added = await durably(() => connection.run(insert, id, namespace, shown_in, kind, due_at, text));
      if (added === 0) throw takenEntryError(id);
    },
    get: async (id) => find(id),
    async list({ namespace = null, shown_in, kind = null, most = defaultDueEntries }) {
      const shown = shown_in === undefined ? "(?1 IS NULL OR namespace = ?1)" : "shown_in = ?1";
      const where = `WHERE ${shown} AND (?2 IS NULL OR kind = ?2) ORDER BY ordinal LIMIT ?3`;
      return connection.all(`${columns} ${where}`, shown_in ?? namespace, kind, most).map(entryOf);
    },
    change: (id, change) =>
      durably(() =>
        connection.transaction(() => {
          const before = find(id);
          const after = before === undefined ? undefined : change(before);
          if (after === undefined) return before;
          const { namespace, kind, due_at, value } = after;
          const update = "UPDATE due_entries SET namespace = ?, kind = ?, due_at = ?, value = ? WHERE id = ?";
          connection.run(update, namespace, kind, due_at ?? null, dueEntryText(value), id);
          return { ...after, id };
        }),
      ),
    remove: async (id) =>
      (await durably(() => connection.run("DELETE FROM due_entries WHERE id = ?", id))) > 0,
    removeAll: (namespace) =>
      durably(() => connection.run("DELETE FROM due_entries WHERE namespace = ?", namespace)),
    async due(now, most) {
      const where = "WHERE due_at <= ? ORDER BY due_at, ordinal LIMIT ?";
      return connection.all(`${columns} ${where}`, now, most).map(entryOf);
    },
    async next() {
      const row = connection.get("SELECT min(due_at) AS at FROM due_entries WHERE due_at IS NOT NULL");
      return row?.at == null ? undefined : Number(row.at);
    },
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

const queuedByAuthor = `
  SELECT other.turn_id FROM turns JOIN turns AS other ON other.line = turns.line AND other.ordinal > turns.ordinal
  WHERE turns.turn_id = ? AND other.status = 'queued' AND other.status <> 'finished'
    AND other.author_id = turns.author_id
  ORDER BY other.ordinal`;

/** Signals and messages that reach a turn while it runs or waits. */
function createSignalling(connection: SqliteConnection): TurnSignals {
  return {
    async signal(turnId, signal, at) {
      const stored = await connection.write(() =>
        connection.transaction(() => {
          const row = connection.get(wake, turnId);
          if (row === undefined) return false;
          if (row.status === "waiting") refreshLane(connection, row.lane as string, row.namespace as string);
          const insert = "INSERT INTO signals (turn_id, at, body) VALUES (?, ?, ?)";
          return connection.run(insert, turnId, at, JSON.stringify(signal)) === 1;
        }),
      );
      await connection.durable();
      return stored;
    },

    async signals(turnId) {
      const rows = connection.all("SELECT body FROM signals WHERE turn_id = ? ORDER BY id", turnId);
      return rows.map((row) => connection.parse(row.body) as Signal);
    },

    async steering(turnId) {
      return connection.all(queuedByAuthor, turnId).flatMap((row) => {
        const id = row.turn_id as string;
        const inbound = readInbound(connection, id);
        return inbound === undefined || inbound.cause !== undefined ? [] : [{ turn_id: id, inbound }];
      });
    },
  };
}
