import { setImmediate as nextTick } from "node:timers/promises";
import type { DetailsOptions, TurnRemoval } from "../../core/log/turn-log.ts";
import { deletedPerson } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { Work } from "../tables.ts";
import { isDetail, isUnused } from "./turn-statements.ts";
import { eventsOf, type TurnTables } from "./turn-tables.ts";
import { disowned, forgottenTitle, withoutCause, withoutTexts } from "./turn-texts.ts";

/** Maximum events that one write deletes, and bytes of events and turns after which it ends: about 3 ms in SQLite. */
const maxRows = 100;
const maxBytes = 250_000;

const finishedTurn = `
  SELECT turns.ordinal, turns.namespace, turns.thread,
    octet_length(turns.text) + coalesce(octet_length(turns.answer), 0) AS bytes,
    turns.finished_at < CAST($2 AS BIGINT) AND ${isUnused("CAST($2 AS BIGINT)")} AS unused
  FROM turns JOIN threads ON threads.namespace = turns.namespace AND threads.thread = turns.thread
  WHERE turns.turn_id = $1 AND turns.status = 'finished'`;

/** `1 = 0` is false in every database. */
const emptyTurn = "UPDATE turns SET text = $2, answer = NULL, details = (1 = 0) WHERE turn_id = $1";

const disownTurn = "UPDATE turns SET author_id = $3, author = $4 WHERE turn_id = $1 AND author_id = $2";

/** A thread without messages is named after its first command, and so has no root. */
const renameThread = `
  UPDATE threads SET title = $1
  WHERE namespace = $2 AND thread = $3 AND (root = $4 OR (root IS NULL AND $5 = (
    SELECT min(ordinal) FROM turns WHERE thread = $3 AND namespace = $2)))`;

/** Work in the background may end after turns that were accepted before it have begun. */
const dropCarriedOver = `
  DELETE FROM events
  WHERE (type IN ('transcript_opened', 'background_ended')
      OR (type = 'run' AND (body LIKE '%"event":{"type":"transcript_opened"%'
        OR body LIKE '%"event":{"type":"background_ended"%')))
    AND turn_id IN (
    SELECT turn_id FROM turns WHERE thread = $2 AND namespace = $1 AND (ordinal > $3
      OR EXISTS (SELECT 1 FROM turns WHERE ordinal = $3 AND line LIKE 'background %')))`;

const countDeletion = "UPDATE threads SET deletions = deletions + 1 WHERE namespace = $1 AND thread = $2";

const dropDetails = `DELETE FROM events WHERE turn_id = $1 AND seq <= $2 AND ${isDetail}`;

const isMarked = "SELECT 1 FROM events WHERE turn_id = $1 AND type = 'details_removed'";

/** A finished turn by its place and its position among all turns. */
interface FinishedTurn extends Place {
  ordinal: number;
  /** Bytes of its texts, which are rewritten when the turn changes. */
  bytes: number;
}

/** What one write may still delete. */
interface Budget {
  rows: number;
  bytes: number;
}

/** Deletes what people said, and the details of turns: how they came to their answers. */
export function createForgetting(
  tables: TurnTables,
): Pick<TurnRemoval, "forget" | "disown" | "removeDetails"> {
  return {
    async disown(turnIds, person) {
      for (const turnId of turnIds) await tables.write(() => disown(tables, turnId, person));
    },
    async forget(turnId, by, at) {
      const isKnown = await tables.write(() => forget(tables, turnId, by, at));
      await tables.truncateLog();
      return isKnown;
    },
    async removeDetails(turnIds, at, options = {}) {
      for (let done = 0; done < turnIds.length; await nextTick()) {
        const next = turnIds.slice(done, done + tables.turnsAtOnce);
        done += await tables.write(() => removeNext(tables, next, at, options));
      }
    },
  };
}

/** store-2: a finished turn; undefined for any other, and with `idleSince` for one from which a transcript continues. */
function* finished(turnId: string, idleSince?: number): Work<FinishedTurn | undefined> {
  const [turn] = yield [finishedTurn, turnId, idleSince ?? null];
  if (turn === undefined || (idleSince !== undefined && !turn.unused)) return undefined;
  // The statement names the columns.
  return turn as unknown as FinishedTurn;
}

function* forget(tables: TurnTables, turnId: string, by: string, at: number): Work<boolean> {
  yield* tables.lockThreadOf(turnId);
  const turn = yield* finished(turnId);
  if (turn === undefined) return false;
  const remaining = withoutTexts(yield* eventsOf(tables, turnId), by, at);
  if (remaining === undefined) return true;
  yield ["DELETE FROM events WHERE turn_id = $1", turnId];
  yield* tables.insertEvents(remaining);
  yield ["DELETE FROM signals WHERE turn_id = $1", turnId];
  yield [emptyTurn, turnId, tables.emptyText];
  yield [renameThread, forgottenTitle, turn.namespace, turn.thread, turnId, turn.ordinal];
  yield* dropFromLaterTurns(turn);
  return true;
}

/** store-3: removes what later turns of a thread carried over from this turn and those before it: it may repeat deleted text. */
function* dropFromLaterTurns({ namespace, thread, ordinal }: FinishedTurn): Work<void> {
  yield [dropCarriedOver, namespace, thread, ordinal];
  yield [countDeletion, namespace, thread];
}

function* disown(tables: TurnTables, turnId: string, person: string): Work<void> {
  if ((yield* finished(turnId)) === undefined) return;
  for (const event of yield* eventsOf(tables, turnId)) {
    const after = disowned(event, person);
    if (after !== event) yield* tables.replaceEvent(after);
  }
  yield [disownTurn, turnId, person, deletedPerson.id, JSON.stringify(deletedPerson)];
}

/** Deletes as much as one write may; returns how many of the turns, from the first on, are done. */
function* removeNext(
  tables: TurnTables,
  turnIds: readonly string[],
  at: number,
  { idle_since, forgets }: DetailsOptions,
): Work<number> {
  const budget: Budget = { rows: maxRows, bytes: maxBytes };
  const touched: FinishedTurn[] = [];
  let done = 0;
  for (const turnId of turnIds) {
    if (budget.rows <= 0 || budget.bytes <= 0) break;
    yield* tables.lockThreadOf(turnId);
    const turn = yield* finished(turnId, idle_since);
    if (turn !== undefined) {
      touched.push(turn);
      budget.bytes -= turn.bytes;
      if (!(yield* removeSome(tables, turnId, at, budget))) break;
      if (forgets) yield* dropCauseEvent(tables, turnId);
    }
    done += 1;
  }
  if (forgets) yield* dropAfter(touched);
  return done;
}

/** Removes from later turns what they carried over from these, once for each thread. */
function* dropAfter(turns: readonly FinishedTurn[]): Work<void> {
  const inOrder = turns.toSorted((a, b) => b.ordinal - a.ordinal);
  const earliest = new Map(inOrder.map((turn) => [JSON.stringify([turn.namespace, turn.thread]), turn]));
  for (const turn of earliest.values()) yield* dropFromLaterTurns(turn);
}

/** Deletes details of one turn; returns whether none is left. Repeated until then (store-4). */
function* removeSome(tables: TurnTables, turnId: string, at: number, budget: Budget): Work<boolean> {
  const limit = budget.rows;
  const found = (yield [
    `SELECT seq, ${tables.sql.eventBytes} AS bytes FROM events WHERE turn_id = $1 AND ${isDetail} ORDER BY seq LIMIT $2`,
    ...[turnId, limit],
  ]) as { seq: number; bytes: number }[];
  const chosen = found.filter(({ bytes }, index) => {
    const fits = index === 0 || budget.bytes > 0;
    if (fits) budget.bytes -= bytes;
    return fits;
  });
  budget.rows -= Math.max(1, chosen.length);
  const [first] = chosen;
  const last = chosen.at(-1);
  if (first !== undefined && last !== undefined) {
    yield [dropDetails, turnId, last.seq];
    if ((yield [isMarked, turnId]).length === 0)
      yield* tables.insertEvents([{ type: "details_removed", turn_id: turnId, seq: first.seq, at }]);
  }
  if (chosen.length < found.length || found.length === limit) return false;
  yield ["DELETE FROM signals WHERE turn_id = $1", turnId];
  yield ["UPDATE turns SET details = (1 = 0) WHERE turn_id = $1", turnId];
  return true;
}

/** Removes from entry 0 the event that began a turn, and who caused it. */
function* dropCauseEvent(tables: TurnTables, turnId: string): Work<void> {
  const [entry] = yield* eventsOf(tables, turnId);
  const without = withoutCause(entry);
  if (without !== undefined) yield* tables.replaceEvent(without);
}
