import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnRemoval } from "../../core/log/turn-log.ts";
import { deletedPerson } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { Tables, Work } from "../tables.ts";
import {
  countDeletion,
  disownTurn,
  dropCarriedOver,
  emptyTurn,
  finishedTurn,
  renameThread,
} from "./turn-statements.ts";
import { disowned, forgottenTitle, withoutCause, withoutTexts } from "./turn-texts.ts";

/** The tables of a turn log, and what differs between databases: how events are stored, and who waits for whom. */
export interface ForgettingTables extends Pick<Tables, "write"> {
  /** Waits for the thread of a turn, as everything does that deletes in it. */
  lockThreadOf(turnId: string): Work<void>;
  events(turnId: string): Work<TurnEvent[]>;
  insert(events: readonly TurnEvent[]): Work<unknown>;
  /** Writes a changed event in its place. */
  replace(event: TurnEvent): Work<void>;
  /** An empty text as the column `text` has it. */
  readonly emptyText: string;
  /** Removes deleted texts from the log of the database. */
  truncateLog(): Promise<void>;
}

/** Deletes what people said. */
export function createForgetting(tables: ForgettingTables): Pick<TurnRemoval, "forget" | "disown"> {
  return {
    async disown(turnIds, person) {
      for (const turnId of turnIds) await tables.write(() => disown(tables, turnId, person));
    },
    async forget(turnId, by, at) {
      const isKnown = await tables.write(() => forget(tables, turnId, by, at));
      await tables.truncateLog();
      return isKnown;
    },
  };
}

function* forget(tables: ForgettingTables, turnId: string, by: string, at: number): Work<boolean> {
  yield* tables.lockThreadOf(turnId);
  const [turn] = yield [finishedTurn, turnId];
  if (turn === undefined) return false;
  const remaining = withoutTexts(yield* tables.events(turnId), by, at);
  if (remaining === undefined) return true;
  const place = { namespace: turn.namespace as string, thread: turn.thread as string };
  const ordinal = turn.ordinal as number;
  yield ["DELETE FROM events WHERE turn_id = $1", turnId];
  yield* tables.insert(remaining);
  yield ["DELETE FROM signals WHERE turn_id = $1", turnId];
  yield [emptyTurn, turnId, tables.emptyText];
  yield [renameThread, forgottenTitle, place.namespace, place.thread, turnId, ordinal];
  yield* dropFromLaterTurns(place, ordinal);
  return true;
}

/** Removes what later turns of a thread carried over from this turn and those before it: it may repeat deleted text. */
export function* dropFromLaterTurns({ namespace, thread }: Place, ordinal: number): Work<void> {
  yield [dropCarriedOver, namespace, thread, ordinal];
  yield [countDeletion, namespace, thread];
}

function* disown(tables: ForgettingTables, turnId: string, person: string): Work<void> {
  if ((yield [finishedTurn, turnId]).length === 0) return;
  for (const event of yield* tables.events(turnId)) {
    const after = disowned(event, person);
    if (after !== event) yield* tables.replace(after);
  }
  yield [disownTurn, turnId, person, deletedPerson.id, JSON.stringify(deletedPerson)];
}

/** Removes from entry 0 the event that began a turn, and who caused it. */
export function* dropCauseEvent(tables: ForgettingTables, turnId: string): Work<void> {
  const [entry] = yield* tables.events(turnId);
  const without = withoutCause(entry);
  if (without !== undefined) yield* tables.replace(without);
}
