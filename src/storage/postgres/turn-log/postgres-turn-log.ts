import type { StoredEvents, TurnCalls, TurnLog } from "../../../core/log/turn-log.ts";
import type { DueEntries } from "../../../core/ports/schedules.ts";
import type { StoreClock } from "../../store-clock.ts";
import { createDueEntries } from "../../turns/due-entries.ts";
import { createForgetting } from "../../turns/turn-forgetting.ts";
import { createTurnReading } from "../../turns/turn-reading.ts";
import { createTurnRemoval } from "../../turns/turn-removal.ts";
import { wokenBySignal } from "../../turns/turn-rows.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import { createAccepting } from "./postgres-accepting.ts";
import { createAppending } from "./postgres-appending.ts";
import { createClaiming } from "./postgres-claiming.ts";
import { postgresTurnTables } from "./postgres-turn-tables.ts";
import { createTurnStore, eventsChannel, turnChannel, workChannel } from "./turn-store.ts";

/** A turn log, and the entries that come due by themselves, in one schema. What it tells is told in the transaction that changes the turn. */
export interface PostgresTurnLog extends TurnLog, TurnCalls {
  readonly due: DueEntries;
}

/**
 * The turn log on a connection whose schema has its tables; the connection belongs to its owner, and closing the log does nothing. Any
 * number of processes use it at once.
 *
 * Writes are durable as the port says if the server's `synchronous_commit` is on, as it is by default: `accept` and `signal` wait for the
 * disk, writes of workers do not, and a crash of the server may undo those of its last second. A crash of a process undoes nothing.
 *
 * What is deleted is gone for every reader at once, but not from the disk. PostgreSQL marks its rows as dead; autovacuum frees their space
 * within minutes, where old bytes remain until others take their place. `scrub({ rebuild: true })` rewrites the tables, while nobody else
 * can use them, and removes these bytes. The write-ahead log, replicas and backups keep what they have until they are recycled, which
 * only the operator of the server can hasten; without `rebuild`, `scrub` does nothing.
 * @param clock decides when waits and leases end; by default the database's clock, which all processes share. For tests
 */
export function createPostgresTurnLog(
  connection: PostgresConnection,
  { clock }: { clock?: StoreClock } = {},
): PostgresTurnLog {
  const turns = createTurnStore(connection, clock);
  const tables = postgresTurnTables(turns);
  const forgetting = createForgetting(tables);
  return {
    ...createAccepting(turns),
    ...createClaiming(turns),
    ...createAppending(turns),
    ...createTurnReading(tables),
    ...forgetting,
    ...createTurnRemoval(tables, forgetting),
    async signal(turnId, signal, at) {
      const { work, turn } = turns.channels;
      return (await turns.run(store, turnId, at, JSON.stringify(signal), work, turn)) > 0;
    },
    async scrub({ rebuild } = {}) {
      if (rebuild) await turns.rewrite("turns", "events", "signals", "threads", "namespaces", "due_entries");
    },
    due: createDueEntries(tables),
    onWork: (heard) => turns.listen(workChannel, () => heard()),
    onSignal: (heard) => turns.listen(turnChannel, heard),
    onEvents: (namespace, heard) =>
      turns.listen(eventsChannel(namespace), (text) =>
        // `tellStored` wrote it.
        heard(text === undefined ? undefined : (JSON.parse(text) as StoredEvents)),
      ),
    close: async () => {},
  };
}

// A ready turn that was locked here may have been skipped by a claim, so whoever claims is told again.
const store = `
  WITH reached AS (
    UPDATE turns SET woken = woken | ${wokenBySignal}, ready = ready OR status = 'waiting'
    WHERE turn_id = $1 AND status <> 'finished' RETURNING turn_id, ready, status),
  stored AS (INSERT INTO signals (turn_id, at, body) SELECT turn_id, $2::bigint, $3 FROM reached)
  SELECT CASE WHEN ready THEN pg_notify($4, '')::text WHEN status = 'running' THEN pg_notify($5, turn_id)::text END
  FROM reached`;
