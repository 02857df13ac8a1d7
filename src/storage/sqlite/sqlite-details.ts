import { setImmediate as nextTick } from "node:timers/promises";
import type { DetailsOptions, TurnRemoval } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import { dropCauseEvent, dropFromLaterTurns } from "../turns/turn-forgetting.ts";
import { createDetailsPages, detailsPage } from "../turns/turn-removal.ts";
import { isDetail, isMarked, isUnused } from "../turns/turn-statements.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvents } from "./sqlite-events.ts";
import { forgettingTables } from "./sqlite-forgetting.ts";
import { carryOut, sqliteTables } from "./sqlite-tables.ts";

/** Maximum events that one write deletes, and bytes of events and turns after which it ends: about 3 ms. */
const maxRows = 100;
const maxBytes = 250_000;

const finishedTurn = `
  SELECT turns.ordinal, turns.namespace, turns.thread,
    octet_length(turns.text) + ifnull(octet_length(turns.answer), 0) AS bytes, turns.finished_at < ?2 AND ${isUnused("?2")} AS unused
  FROM turns JOIN threads ON threads.namespace = turns.namespace AND threads.thread = turns.thread
  WHERE turns.turn_id = ?1 AND turns.status = 'finished'`;

// A text that several events share is deleted with the last of them, so each counts a part of it.
const nextDetails = `
  SELECT seq, octet_length(body) + ifnull((
    SELECT sum(octet_length(stored.text) / stored.uses)
    FROM json_each(events.texts) AS named JOIN texts AS stored ON stored.id = named.value), 0) AS bytes
  FROM events WHERE turn_id = ? AND ${isDetail} ORDER BY seq LIMIT ?`;

const dropDetails = `DELETE FROM events WHERE turn_id = ? AND seq <= ? AND ${isDetail}`;

/** A turn by its place and its position among all turns. */
interface Position extends Place {
  ordinal: number;
  /** Bytes of its texts, which are rewritten when the turn changes. */
  bytes: number;
}

// Served by the index alone; its order is that of `finished_at` and ordinals.
const oldTurns = `
  SELECT turns.turn_id, turns.finished_at, turns.ordinal, ${isUnused("?1")} AS unused
  FROM (
    SELECT finished_at, ordinal FROM turns INDEXED BY turns_detailed
    WHERE details = 1 AND status = 'finished' AND finished_at < ?1 AND (finished_at, ordinal) > (?2, ?3)
    ORDER BY finished_at, ordinal LIMIT ${detailsPage}) AS old
  CROSS JOIN turns ON turns.ordinal = old.ordinal
  CROSS JOIN threads ON threads.namespace = turns.namespace AND threads.thread = turns.thread
  ORDER BY old.finished_at, old.ordinal`;

/** What one write may still delete. */
interface Budget {
  rows: number;
  bytes: number;
}

/** Deletes the details of turns: how they came to their answers. */
export function createDetailsRemoval(
  connection: SqliteConnection,
): Pick<TurnRemoval, "removeDetails" | "oldDetails" | "finishedBefore" | "scrub"> {
  return {
    async removeDetails(turnIds, at, options = {}) {
      for (let done = 0; done < turnIds.length; await nextTick())
        done += await connection.write(() =>
          connection.transaction(() => removeNext(connection, turnIds.slice(done), at, options)),
        );
    },

    ...createDetailsPages(sqliteTables(connection), oldTurns),

    scrub: ({ rebuild } = {}) => (rebuild ? connection.rebuild() : connection.truncateLog()),
  };
}

/** Deletes as much as one write may; returns how many of the turns, from the first on, are done. */
function removeNext(
  connection: SqliteConnection,
  turnIds: readonly string[],
  at: number,
  { idle_since, forgets }: DetailsOptions,
): number {
  const budget: Budget = { rows: maxRows, bytes: maxBytes };
  const touched: Position[] = [];
  let done = 0;
  for (const turnId of turnIds) {
    if (budget.rows <= 0 || budget.bytes <= 0) break;
    const position = removable(connection, turnId, idle_since);
    if (position !== undefined) {
      touched.push(position);
      budget.bytes -= position.bytes;
      if (!removeSome(connection, turnId, at, budget)) break;
      if (forgets) carryOut(connection, dropCauseEvent(forgettingTables(connection), turnId));
    }
    done += 1;
  }
  if (forgets) dropAfter(connection, touched);
  return done;
}

/** The place of a turn; undefined if its details must stay, or it is unknown. */
function removable(
  connection: SqliteConnection,
  turnId: string,
  idleSince: number | undefined,
): Position | undefined {
  const turn = connection.get(finishedTurn, turnId, idleSince ?? null);
  if (turn === undefined || (idleSince !== undefined && turn.unused !== 1)) return undefined;
  // The statement names the columns.
  return turn as unknown as Position;
}

/** Removes from later turns what they carried over from these, once for each thread. */
function dropAfter(connection: SqliteConnection, turns: readonly Position[]): void {
  const earliest = new Map<string, Position>();
  for (const turn of turns) {
    const thread = JSON.stringify([turn.namespace, turn.thread]);
    if (turn.ordinal < (earliest.get(thread)?.ordinal ?? Number.POSITIVE_INFINITY))
      earliest.set(thread, turn);
  }
  for (const turn of earliest.values()) carryOut(connection, dropFromLaterTurns(turn, turn.ordinal));
}

/** Deletes details of one turn; returns whether none is left. */
function removeSome(connection: SqliteConnection, turnId: string, at: number, budget: Budget): boolean {
  const limit = budget.rows;
  const found = connection.all(nextDetails, turnId, limit) as { seq: number; bytes: number }[];
  const chosen = found.filter(({ bytes }, at) => {
    const fits = at === 0 || budget.bytes > 0;
    if (fits) budget.bytes -= bytes;
    return fits;
  });
  budget.rows -= Math.max(1, chosen.length);
  const [first] = chosen;
  const last = chosen.at(-1);
  if (first !== undefined && last !== undefined) {
    connection.run(dropDetails, turnId, last.seq);
    if (connection.get(isMarked, turnId) === undefined)
      insertEvents(connection, [{ type: "details_removed", turn_id: turnId, seq: first.seq, at }]);
  }
  if (chosen.length < found.length || found.length === limit) return false;
  connection.run("DELETE FROM signals WHERE turn_id = ?", turnId);
  connection.run("UPDATE turns SET details = 0 WHERE turn_id = ?", turnId);
  return true;
}
