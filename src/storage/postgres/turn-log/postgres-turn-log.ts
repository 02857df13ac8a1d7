import type { StoredEvents, TurnCalls, TurnHealth, TurnLog } from "../../../core/log/turn-log.ts";
import type { DueEntries } from "../../../core/ports/schedules.ts";
import type { StoreClock } from "../../store-clock.ts";
import { createDueEntries } from "../../turns/due-entries.ts";
import { createForgetting } from "../../turns/turn-forgetting.ts";
import { createTurnReading } from "../../turns/turn-reading.ts";
import { createTurnRemoval } from "../../turns/turn-removal.ts";
import { backlogOf, wokenBySignal } from "../../turns/turn-rows.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import { createAccepting } from "./postgres-accepting.ts";
import { createAppending } from "./postgres-appending.ts";
import { createClaiming } from "./postgres-claiming.ts";
import { postgresTurnTables } from "./postgres-turn-tables.ts";
import {
  createTurnStore,
  eventsChannel,
  nowOr,
  type TurnStore,
  turnChannel,
  workChannel,
} from "./turn-store.ts";

/** A turn log, and the entries that come due by themselves, in one schema. What it tells is told in the transaction that changes the turn. */
export interface PostgresTurnLog extends TurnLog, TurnCalls {
  readonly due: DueEntries;
}

export interface PostgresTurnLogOptions {
  /** Decides when waits and leases end; by default the database's clock, which all processes share. For tests. */
  clock?: StoreClock;
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
 */
export function createPostgresTurnLog(
  connection: PostgresConnection,
  { clock }: PostgresTurnLogOptions = {},
): PostgresTurnLog {
  const turns = createTurnStore(connection, clock);
  const tables = postgresTurnTables(turns);
  const forgetting = createForgetting(tables);
  return {
    ...createAccepting(turns),
    ...createClaiming(turns),
    ...createAppending(turns),
    ...createHealth(turns),
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

const counts = "SELECT status, count(*) AS turns FROM turns WHERE status <> 'finished' GROUP BY status";

const held = "SELECT count(*) AS turns FROM turns WHERE suspect AND ready";

// Turns that wait for a worker: those that are ready, and waits and leases that ended, since then.
const oldest = `
  SELECT least(
    (SELECT min(accepted_at) FROM turns WHERE ready AND NOT suspect),
    (SELECT min(due_at) FROM turns WHERE status = 'waiting' AND NOT ready AND due_at <= ${nowOr("$1")}),
    (SELECT min(lease_ends) FROM turns WHERE status = 'running' AND NOT ready AND lease_ends <= ${nowOr("$1")})) AS at`;

const write = "INSERT INTO probe (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at";

/** The health of the log, and how much work it holds. */
function createHealth(turns: TurnStore): TurnHealth {
  return {
    async backlog() {
      const states = await turns.all(counts);
      return backlogOf(states, await turns.get(held), await turns.get(oldest, turns.time()[0]));
    },
    async probe(at) {
      await turns.run(write, at);
    },
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
