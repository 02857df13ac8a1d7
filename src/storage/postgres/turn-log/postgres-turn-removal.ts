import type { DetailsOptions, FinishedPage, IdleThread, TurnRemoval } from "../../../core/log/turn-log.ts";
import type { Place } from "../../../core/values/place.ts";
import { finishedPageOf } from "../../turns/turn-rows.ts";
import {
  countRemoved,
  dropNamespace,
  dropThread,
  isDetail,
  isMarked,
  isUnused,
} from "../../turns/turn-statements.ts";
import { forgottenTitle } from "../../turns/turn-texts.ts";
import type { PostgresSession } from "../postgres-connection.ts";
import { insertEvent } from "./postgres-events.ts";
import { dropCauseEvent, dropFromLaterTurns, lockThreadOfTurn } from "./postgres-forgetting.ts";
import { lockNamespace, type TurnStore } from "./turn-store.ts";

/** Turns that one call deletes. */
const maxTurns = 50;

/** Threads in a page. */
const threadsPage = 200;

const idleThreads = `
  SELECT thread, turns, last_at FROM threads
  WHERE namespace = $1 AND last_at < $2 AND (last_at, thread) > ($3, $4) AND unfinished = 0
  ORDER BY last_at, thread LIMIT ${threadsPage}`;

const lockIfIdle = `
  SELECT 1 FROM threads WHERE namespace = $1 AND thread = $2 AND unfinished = 0 AND last_at < $3 FOR UPDATE`;

const oldest = `SELECT turn_id FROM turns WHERE thread = $1 AND namespace = $2 ORDER BY ordinal LIMIT ${maxTurns}`;

/** Deletes conversations that have been idle for long. */
export function createTurnRemoval(
  turns: TurnStore,
): Pick<TurnRemoval, "idleThreads" | "removeTurns" | "scrub"> {
  return {
    async idleThreads(namespace, before, after) {
      const from = [after?.last_at ?? Number.MIN_SAFE_INTEGER, after?.thread ?? ""];
      const rows = await turns.all(idleThreads, namespace, before, ...from);
      // The statement named the columns.
      return rows as unknown as IdleThread[];
    },

    removeTurns: ({ namespace, thread }, before) =>
      turns.transaction(async (session) => {
        await session.run(lockNamespace, namespace);
        if ((await session.get(lockIfIdle, namespace, thread, before)) === undefined) return [];
        const turnIds = (await session.all(oldest, thread, namespace)).map((row) => String(row.turn_id));
        for (const table of ["events", "signals", "turns"])
          await session.run(`DELETE FROM ${table} WHERE turn_id = ANY ($1)`, turnIds);
        await session.run(countRemoved, namespace, thread, turnIds.length, forgottenTitle);
        if ((await session.run(dropThread, namespace, thread)) === 0) return turnIds;
        await session.run(dropNamespace, namespace);
        return turnIds;
      }),

    async scrub({ rebuild } = {}) {
      if (rebuild) await turns.rewrite("turns", "events", "signals", "threads", "namespaces", "due_entries");
    },
  };
}

const removable = `
  SELECT turns.ordinal, turns.namespace, turns.thread FROM turns JOIN threads USING (namespace, thread)
  WHERE turns.turn_id = $1 AND turns.status = 'finished'
    AND ($2::bigint IS NULL OR (turns.finished_at < $2 AND ${isUnused("$2")}))`;

const dropDetails = `
  WITH dropped AS (DELETE FROM events WHERE turn_id = $1 AND ${isDetail} RETURNING seq)
  SELECT min(seq) AS first FROM dropped`;

/** Maximum turns that one page looks at. */
const detailsPage = 100;

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
  const page = async (
    before: number,
    after = { finished_at: Number.MIN_SAFE_INTEGER, ordinal: 0 },
    all: boolean,
  ): Promise<FinishedPage> => {
    const rows = await turns.all(oldTurns, before, after.finished_at, after.ordinal);
    return finishedPageOf(rows, all, detailsPage);
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
