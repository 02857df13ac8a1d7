import type { DetailsOptions, TurnRemoval } from "../../../core/log/turn-log.ts";
import type { Work } from "../../tables.ts";
import { dropCauseEvent, dropFromLaterTurns, type ForgettingTables } from "../../turns/turn-forgetting.ts";
import { createDetailsPages, detailsPage } from "../../turns/turn-removal.ts";
import { isDetail, isMarked, isUnused } from "../../turns/turn-statements.ts";
import { forgettingTables } from "./postgres-forgetting.ts";
import type { TurnStore } from "./turn-store.ts";

const removable = `
  SELECT turns.ordinal, turns.namespace, turns.thread FROM turns JOIN threads USING (namespace, thread)
  WHERE turns.turn_id = $1 AND turns.status = 'finished'
    AND ($2::bigint IS NULL OR (turns.finished_at < $2 AND ${isUnused("$2")}))`;

const dropDetails = `
  WITH dropped AS (DELETE FROM events WHERE turn_id = $1 AND ${isDetail} RETURNING seq)
  SELECT min(seq) AS first FROM dropped`;

const oldTurns = `
  SELECT turns.turn_id, turns.finished_at, turns.ordinal, ${isUnused("$1")} AS unused
  FROM (
    SELECT turn_id, finished_at, ordinal, namespace, thread FROM turns
    WHERE details AND status = 'finished' AND finished_at < $1 AND (finished_at, ordinal) > ($2, $3)
    ORDER BY finished_at, ordinal LIMIT ${detailsPage}) AS turns
  JOIN threads USING (namespace, thread)
  ORDER BY turns.finished_at, turns.ordinal`;

/** Deletes the details of turns: how they came to their answers. Each turn in a transaction of its own. */
export function createDetailsRemoval(
  turns: TurnStore,
): Pick<TurnRemoval, "removeDetails" | "oldDetails" | "finishedBefore"> {
  const tables = forgettingTables(turns);
  return {
    async removeDetails(turnIds, at, options = {}) {
      for (const turnId of turnIds) await tables.write(() => removeDetails(tables, { turnId, at, options }));
    },
    ...createDetailsPages(turns, oldTurns),
  };
}

function* removeDetails(
  tables: ForgettingTables,
  { turnId, at, options }: { turnId: string; at: number; options: DetailsOptions },
): Work<void> {
  yield* tables.lockThreadOf(turnId);
  const [turn] = yield [removable, turnId, options.idle_since ?? null];
  if (turn === undefined) return;
  const first = (yield [dropDetails, turnId])[0]?.first;
  if (typeof first === "number" && (yield [isMarked, turnId]).length === 0)
    yield* tables.insert([{ type: "details_removed", turn_id: turnId, seq: first, at }]);
  yield ["DELETE FROM signals WHERE turn_id = $1", turnId];
  yield ["UPDATE turns SET details = false WHERE turn_id = $1 AND details", turnId];
  if (!options.forgets) return;
  yield* dropCauseEvent(tables, turnId);
  const place = { namespace: turn.namespace as string, thread: turn.thread as string };
  yield* dropFromLaterTurns(place, turn.ordinal as number);
}
