import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { Row, Tables, Work } from "../tables.ts";

/**
 * What the turn logs of both databases have in common.
 *
 * Invariants:
 * [store-1] A key makes one turn, however often and from wherever it is accepted.
 * [store-2] Nothing of an unfinished turn, or of a thread that has one, is deleted.
 * [store-3] What later turns of a thread carried over goes with a deleted text.
 * [store-4] A deletion that was interrupted is completed by its repetition, and changes nothing once it is complete.
 * [store-5] A crash counts against a turn only if it ran alone or was a suspect.
 */

/** The tables of a turn log, and what differs between databases: fragments of SQL, how events are stored, and who waits for whom. */
export interface TurnTables extends Tables {
  /** The value of a stored JSON text. */
  parse(text: unknown): unknown;
  /** Resolves when all writes so far are on the disk. */
  durable(): Promise<void>;
  /** Removes deleted texts from the log of the database. */
  truncateLog(): Promise<void>;
  /** Selects the events of the turn `$1` with a seq above `$2`, in order, as `toEvent` reads them. */
  readonly selectEvents: string;
  toEvent(turnId: string, row: Row): TurnEvent;
  insertEvents(events: readonly TurnEvent[]): Work<unknown>;
  /** Writes a changed event in its place. */
  replaceEvent(event: TurnEvent): Work<void>;
  /** Waits for the thread of a turn, as everything does that deletes in it. */
  lockThreadOf(turnId: string): Work<void>;
  /** Locks a namespace against new turns. */
  lockNamespace(namespace: string): Work<void>;
  /** Follows the deletion of a namespace. */
  dropped(namespace: string): Work<void>;
  /** A text of people, as a column of `turns` has it. */
  textOf(column: unknown): unknown;
  readonly emptyText: string;
  /** Maximum turns whose details one transaction deletes. */
  readonly turnsAtOnce: number;
  readonly sql: TurnSql;
}

/** Fragments of SQL that a database needs in a form of its own, mostly so that an index serves. */
interface TurnSql {
  /** Ends a SELECT, and keeps its rows from changing until the transaction ends. */
  lockRow: string;
  /** The turns of which some are not finished. */
  unfinished: string;
  /**
   * The turns accepted at or after `$1`, of all namespaces. The namespaces are searched one by one, so that the index by namespace and time
   * serves.
   */
  everywhere: string;
  /** The id of the person who alone decides, of an event that asks for approval. */
  decider: string;
  /** The threads of a namespace by their last activity. */
  threads: string;
  /** Bytes that the deletion of an event frees. */
  eventBytes: string;
  /** A page of finished turns that have their details, before `$1` and after the position `$2`, `$3`; whether they are `unused`. */
  oldTurns: string;
}

/** The events of a turn. */
export function* eventsOf(tables: TurnTables, turnId: string): Work<TurnEvent[]> {
  return (yield [tables.selectEvents, turnId, -1]).map((row) => tables.toEvent(turnId, row));
}
