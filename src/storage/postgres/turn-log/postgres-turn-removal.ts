import type { IdleThread, TurnRemoval } from "../../../core/log/turn-log.ts";
import { forgottenTitle } from "../../turns/turn-texts.ts";
import { lockNamespace, type TurnStore } from "./turn-store.ts";

/** Turns that one call deletes. */
const maxTurns = 50;

/** Threads in a page. */
const pageSize = 200;

const idleThreads = `
  SELECT thread, turns, last_at FROM threads
  WHERE namespace = $1 AND last_at < $2 AND (last_at, thread) > ($3, $4) AND unfinished = 0
  ORDER BY last_at, thread LIMIT ${pageSize}`;

const lockIfIdle = `
  SELECT 1 FROM threads WHERE namespace = $1 AND thread = $2 AND unfinished = 0 AND last_at < $3 FOR UPDATE`;

const oldest = `SELECT turn_id FROM turns WHERE thread = $1 AND namespace = $2 ORDER BY ordinal LIMIT ${maxTurns}`;

// If somebody writes there before the next call, their message names the thread.
const countRemoved = `
  UPDATE threads SET turns = turns - $3, root = NULL, title = $4 WHERE namespace = $1 AND thread = $2`;

const dropThread = `
  DELETE FROM threads WHERE namespace = $1 AND thread = $2
    AND NOT EXISTS (SELECT 1 FROM turns WHERE thread = $2 AND namespace = $1)`;

const dropNamespace = `
  DELETE FROM namespaces WHERE namespace = $1 AND NOT EXISTS (SELECT 1 FROM threads WHERE namespace = $1)`;

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
