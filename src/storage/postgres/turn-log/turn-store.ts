import { hash } from "node:crypto";
import type { StoreClock } from "../../store-clock.ts";
import { type PostgresConnection, storableText } from "../postgres-connection.ts";
import { channelName } from "../postgres-listener.ts";

/** The connection of a turn log as its parts use it. */
export interface TurnStore extends PostgresConnection {
  /** The wall clock and steady time, for `nowOr`: null for the database's clock. */
  time(): [now: number | null, steady: number | null];
  /** Names for `pg_notify`: a turn became ready; a signal reached a turn that runs. */
  readonly channels: { readonly work: string; readonly turn: string };
}

/** Names of the channels, for `listen`. */
export const workChannel = "work";
export const turnChannel = "turn";

/** The time of a parameter, or the database's if it is null, ms. A subquery, so that an index can be searched for it. */
export function nowOr(parameter: `$${number}`): string {
  return `(SELECT coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;
}

/**
 * Tells whoever watches the namespace of a turn that events were stored (`StoredEvents`). `turns` has the columns of the turn.
 * @param from and @param to SQL for their first and last seq
 */
export function tellStored(from: string, to: string): string {
  const channel = `current_schema() || '.${eventsPrefix}' || md5(namespace)`;
  const stored = `'turn_id', turn_id, 'thread', thread, 'from', ${from}, 'to', ${to}, 'by', worker`;
  return `pg_notify(${channel}, json_build_object(${stored})::text)::text`;
}

const eventsPrefix = "events-";

/** The channel of `tellStored`, for `listen`. */
export function eventsChannel(namespace: string): string {
  return eventsPrefix + hash("md5", storableText(namespace));
}

/** The commit of the transaction does not wait for the disk: `durable` does. */
export const commitSoon = "set_config('synchronous_commit', 'off', true)";

/*
 * Locks of a line and of a namespace, until the transaction ends. They are statements of their own, because a statement sees the rows as
 * they were when it began. Whatever changes which turn of a line is the first locks the line before it looks; whatever may delete a
 * namespace locks it against new turns.
 */

/** For a new turn: its namespace, which others may add to at the same time, and its line. */
export const lockForTurn = `
  SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1)), pg_advisory_xact_lock(hashtextextended($2, 0))`;
/** Against new turns. */
export const lockNamespace = "SELECT pg_advisory_xact_lock(hashtextextended($1, 1))";
/** The line of a turn, in a transaction that commits soon. */
export const lockLineOfTurn = `
  SELECT pg_advisory_xact_lock(hashtextextended(line, 0)), ${commitSoon} FROM turns WHERE turn_id = $1`;

/** The connection of a turn log; without a clock, the database's decides. */
export function createTurnStore(connection: PostgresConnection, clock: StoreClock | undefined): TurnStore {
  return {
    ...connection,
    time: () => (clock === undefined ? [null, null] : [Math.floor(clock.now()), Math.floor(clock.steady())]),
    channels: {
      work: channelName(connection.schema, workChannel),
      turn: channelName(connection.schema, turnChannel),
    },
  };
}
