import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnRemoval } from "../../core/log/turn-log.ts";
import { deletedPerson } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import {
  countDeletion,
  disownTurn,
  dropCarriedOver,
  finishedTurn,
  renameThread,
} from "../turns/turn-statements.ts";
import { disowned, forgottenTitle, withoutCause, withoutTexts } from "../turns/turn-texts.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";
import { insertEvents, readEvents } from "./sqlite-events.ts";

/** Maximum turns that one write changes. */
const disownedAtOnce = 50;

/** Deletes what people said. */
export function createForgetting(connection: SqliteConnection): Pick<TurnRemoval, "forget" | "disown"> {
  return {
    async disown(turnIds, person) {
      for (let from = 0; from < turnIds.length; from += disownedAtOnce) {
        const some = turnIds.slice(from, from + disownedAtOnce);
        await connection.write(() =>
          connection.transaction(() => {
            for (const turnId of some) disown(connection, turnId, person);
          }),
        );
      }
    },

    async forget(turnId, by, at) {
      const known = await connection.write(() =>
        connection.transaction(() => {
          const turn = connection.get(finishedTurn, turnId);
          if (turn !== undefined) forget(connection, turnId, turn, { by, at });
          return turn !== undefined;
        }),
      );
      // The write-ahead log still has the old pages. If another process is reading just now, its next checkpoint removes them.
      await connection.truncateLog();
      return known;
    },
  };
}

/** Removes what later turns of a thread carried over from this turn and those before it: it may repeat deleted text. */
export function dropFromLaterTurns(connection: SqliteConnection, place: Place, ordinal: number): void {
  connection.run(dropCarriedOver, place.namespace, place.thread, ordinal);
  connection.run(countDeletion, place.namespace, place.thread);
}

function forget(
  connection: SqliteConnection,
  turnId: string,
  turn: SqlRow,
  who: { by: string; at: number },
): void {
  const remaining = withoutTexts(readEvents(connection, turnId, -1), who.by, who.at);
  if (remaining === undefined) return;
  const place = { namespace: turn.namespace as string, thread: turn.thread as string };
  const ordinal = turn.ordinal as number;
  connection.run("DELETE FROM events WHERE turn_id = ?", turnId);
  insertEvents(connection, remaining);
  connection.run("DELETE FROM signals WHERE turn_id = ?", turnId);
  connection.run("UPDATE turns SET text = '', answer = NULL, details = 0 WHERE turn_id = ?", turnId);
  connection.run(renameThread, forgottenTitle, place.namespace, place.thread, turnId, ordinal);
  dropFromLaterTurns(connection, place, ordinal);
}

function disown(connection: SqliteConnection, turnId: string, person: string): void {
  if (connection.get(finishedTurn, turnId) === undefined) return;
  for (const event of readEvents(connection, turnId, -1))
    replaceEvent(connection, event, disowned(event, person));
  connection.run(disownTurn, turnId, person, deletedPerson.id, JSON.stringify(deletedPerson));
}

/** Removes from entry 0 the event that began a turn, and who caused it. */
export function dropCauseEvent(connection: SqliteConnection, turnId: string): void {
  const [entry] = readEvents(connection, turnId, -1);
  const without = withoutCause(entry);
  if (entry !== undefined && without !== undefined) replaceEvent(connection, entry, without);
}

function replaceEvent(connection: SqliteConnection, before: TurnEvent, after: TurnEvent): void {
  if (after === before) return;
  connection.run("DELETE FROM events WHERE turn_id = ? AND seq = ?", before.turn_id, before.seq);
  insertEvents(connection, [after]);
}
