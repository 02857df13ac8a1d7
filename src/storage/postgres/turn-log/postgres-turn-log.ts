import type { StoredEvents, TurnCalls, TurnLog } from "../../../core/log/turn-log.ts";
import type { DueEntries } from "../../../core/ports/schedules.ts";
import type { StoreClock } from "../../store-clock.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import { createAccepting } from "./postgres-accepting.ts";
import { createAppending } from "./postgres-appending.ts";
import { createClaiming } from "./postgres-claiming.ts";
import { createDetailsRemoval } from "./postgres-details.ts";
import { createDueEntries } from "./postgres-due-entries.ts";
import { createForgetting } from "./postgres-forgetting.ts";
import { createHealth } from "./postgres-health.ts";
import { createReading } from "./postgres-reading.ts";
import { createSignalling } from "./postgres-signalling.ts";
import { createThreadReading } from "./postgres-threads.ts";
import { createTurnRemoval } from "./postgres-turn-removal.ts";
import { createTurnStore, eventsChannel, turnChannel, workChannel } from "./turn-store.ts";

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
  return {
    ...createAccepting(turns),
    ...createClaiming(turns),
    ...createAppending(turns),
    ...createHealth(turns),
    ...createSignalling(turns),
    ...createForgetting(turns),
    ...createDetailsRemoval(turns),
    ...createTurnRemoval(turns),
    ...createReading(turns),
    ...createThreadReading(turns),
    due: createDueEntries(turns),
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
