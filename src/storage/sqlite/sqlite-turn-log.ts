import type { Signal, TurnHealth, TurnLog, TurnSignals } from "../../core/log/turn-log.ts";
import type { DueEntries } from "../../core/ports/schedules.ts";
import { type StoreClock, systemTime } from "../store-clock.ts";
import { createDueEntries } from "../turns/due-entries.ts";
import { createThreadReading } from "../turns/thread-reading.ts";
import { createForgetting } from "../turns/turn-forgetting.ts";
import { createTurnReading } from "../turns/turn-reading.ts";
import { createTurnRemoval } from "../turns/turn-removal.ts";
import { backlogOf, wokenBySignal } from "../turns/turn-rows.ts";
import { createAccepting } from "./sqlite-accepting.ts";
import { createAppending } from "./sqlite-appending.ts";
import { createClaiming } from "./sqlite-claiming.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";
import { createDetailsRemoval } from "./sqlite-details.ts";
import { readEvents, readInbound } from "./sqlite-events.ts";
import { forgettingTables } from "./sqlite-forgetting.ts";
import { refreshLane } from "./sqlite-lanes.ts";
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
  const tables = sqliteTables(connection);
  const details = createDetailsRemoval(connection);
  const { parse, durable } = connection;
  return {
    ...createAccepting(connection),
    ...createClaiming(connection, clock),
    ...createAppending(connection),
    ...createHealth(connection, clock),
    ...createSignalling(connection),
    ...createForgetting(forgettingTables(connection)),
    ...details,
    ...createTurnRemoval({
      ...tables,
      removeDetails: details.removeDetails,
      threads: "threads INDEXED BY threads_by_activity",
      *lockNamespace() {},
      *dropped(namespace) {
        const lanes = "('urgent', 'command', 'message')";
        yield [`DELETE FROM lanes WHERE lane IN ${lanes} AND namespace = $1`, namespace];
      },
    }),
    ...createTurnReading({
      ...tables,
      parse,
      read: async (turnId, afterSeq = -1) => readEvents(connection, turnId, afterSeq),
      plain: (row) => row,
      unfinished: "turns INDEXED BY turns_unfinished",
      decider: "events.body -> 'person' ->> 'id'",
      everywhere: "namespaces CROSS JOIN turns USING (namespace) WHERE accepted_at >= $1",
    }),
    ...createThreadReading(tables),
    due: createDueEntries({ ...tables, parse, durable, lock: "" }),
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
