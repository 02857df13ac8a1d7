import { withoutDetails } from "../../../core/log/turn-event.ts";
import type { DetailsOptions, FinishedPage, TurnRemoval } from "../../../core/log/turn-log.ts";
import type { Place } from "../../../core/values/place.ts";
import type { PostgresSession } from "../postgres-connection.ts";
import { insertEvent } from "./postgres-events.ts";
import { dropCauseEvent, dropFromLaterTurns, lockThreadOfTurn } from "./postgres-forgetting.ts";
import type { TurnStore } from "./turn-store.ts";

/** Whether no transcript continues from a finished turn: its thread has been idle for long enough, or has a later opening. */
const isUnused = (since: string) =>
  `((threads.unfinished = 0 AND threads.last_at < ${since}) OR threads.opened > turns.ordinal)`;

const removable = `
  SELECT turns.ordinal, turns.namespace, turns.thread FROM turns JOIN threads USING (namespace, thread)
  WHERE turns.turn_id = $1 AND turns.status = 'finished'
    AND ($2::bigint IS NULL OR (turns.finished_at < $2 AND ${isUnused("$2")}))`;

const isDetail = `type NOT IN (${withoutDetails.map((type) => `'${type}'`).join(", ")})`;

const dropDetails = `
  WITH dropped AS (DELETE FROM events WHERE turn_id = $1 AND ${isDetail} RETURNING seq)
  SELECT min(seq) AS first FROM dropped`;

const isMarked = "SELECT 1 FROM events WHERE turn_id = $1 AND type = 'details_removed'";

/** Maximum turns that one page looks at. */
const pageSize = 100;

const oldTurns = `
  SELECT turns.turn_id, turns.finished_at, turns.ordinal, ${isUnused("$1")} AS unused
  FROM (
    SELECT turn_id, finished_at, ordinal, namespace, thread FROM turns
    WHERE details AND status = 'finished' AND finished_at < $1 AND (finished_at, ordinal) > ($2, $3)
    ORDER BY finished_at, ordinal LIMIT ${pageSize}) AS turns
  JOIN threads USING (namespace, thread)
  ORDER BY turns.finished_at, turns.ordinal`;

/** Deletes the details of turns: how they came to their answers. Each turn in a transaction of its own. */
export function createDetailsRemoval(
  turns: TurnStore,
): Pick<TurnRemoval, "removeDetails" | "oldDetails" | "finishedBefore"> {
  const page = async (
    before: number,
    after = { finished_at: Number.MIN_SAFE_INTEGER, ordinal: 0 },
    all: boolean,
  ): Promise<FinishedPage> => {
    const rows = await turns.all(oldTurns, before, after.finished_at, after.ordinal);
    const wanted = all ? rows : rows.filter(({ unused }) => unused === true);
    const turn_ids = wanted.map(({ turn_id }) => turn_id as string);
    const last = all || rows.length === pageSize ? rows.at(-1) : undefined;
    if (last === undefined) return { turn_ids };
    return {
      turn_ids,
      next: { finished_at: last.finished_at as number, ordinal: last.ordinal as number },
    };
  };
  return {
    async removeDetails(turnIds, at, options = {}) {
      for (const turnId of turnIds)
        await turns.transaction((session) => removeDetails(session, turns, { turnId, at, options }));
    },

    oldDetails: (before, after) => page(before, after, false),
    finishedBefore: (before, after) => page(before, after, true),
  };
}

async function removeDetails(
  session: PostgresSession,
  turns: TurnStore,
  { turnId, at, options }: { turnId: string; at: number; options: DetailsOptions },
): Promise<void> {
  await session.run(lockThreadOfTurn, turnId);
  const turn = await session.get(removable, turnId, options.idle_since ?? null);
  if (turn === undefined) return;
  const first = (await session.get(dropDetails, turnId))?.first;
  if (typeof first === "number" && (await session.get(isMarked, turnId)) === undefined)
    await insertEvent(session, { type: "details_removed", turn_id: turnId, seq: first, at });
  await session.run("DELETE FROM signals WHERE turn_id = $1", turnId);
  await session.run("UPDATE turns SET details = false WHERE turn_id = $1 AND details", turnId);
  if (!options.forgets) return;
  await dropCauseEvent(session, turns.parse, turnId);
  const place: Place = { namespace: turn.namespace as string, thread: turn.thread as string };
  await dropFromLaterTurns(session, place, turn.ordinal as number);
}
