import type { FinishedPage, IdleThread, TurnRemoval } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import type { Work } from "../tables.ts";
import type { TurnTables } from "./turn-tables.ts";
import { forgottenTitle } from "./turn-texts.ts";

/** Turns that one call deletes, and bytes of texts after which it stops. */
const maxTurns = 50;
const maxBytes = 250_000;

/** Threads in a page. */
const pageSize = 200;

// store-2
const isIdle =
  "SELECT 1 FROM threads WHERE namespace = $1 AND thread = $2 AND unfinished = 0 AND last_at < $3";

const oldest = `
  SELECT turn_id, octet_length(text) + coalesce(octet_length(answer), 0) AS bytes FROM turns
  WHERE thread = $1 AND namespace = $2 ORDER BY ordinal LIMIT ${maxTurns}`;

/** If somebody writes there before the next call, their message names the thread. */
const countRemoved = `
  UPDATE threads SET turns = turns - $3, root = NULL, title = $4 WHERE namespace = $1 AND thread = $2`;

const dropThread = `
  DELETE FROM threads WHERE namespace = $1 AND thread = $2
    AND NOT EXISTS (SELECT 1 FROM turns WHERE thread = $2 AND namespace = $1) RETURNING thread`;

const dropNamespace = `
  DELETE FROM namespaces WHERE namespace = $1 AND NOT EXISTS (SELECT 1 FROM threads WHERE namespace = $1)
  RETURNING namespace`;

/** Maximum turns that one page looks at. */
export const detailsPage = 100;

/** Finds what retention deletes, and deletes conversations that have been idle for long. */
export function createTurnRemoval(
  tables: TurnTables,
  { removeDetails }: Pick<TurnRemoval, "removeDetails">,
): Pick<TurnRemoval, "idleThreads" | "removeTurns" | "oldDetails" | "finishedBefore"> {
  const idleThreads = `
    SELECT thread, turns, last_at FROM ${tables.sql.threads}
    WHERE namespace = $1 AND last_at < $2 AND (last_at, thread) > ($3, $4) AND unfinished = 0
    ORDER BY last_at, thread LIMIT ${pageSize}`;
  /** A page of all finished turns, or of those that no transcript continues from (`unused`). */
  const page = async (
    before: number,
    after = { finished_at: Number.MIN_SAFE_INTEGER, ordinal: 0 },
    all: boolean,
  ): Promise<FinishedPage> => {
    const rows = await tables.all(tables.sql.oldTurns, before, after.finished_at, after.ordinal);
    const wanted = all ? rows : rows.filter(({ unused }) => Boolean(unused));
    const turn_ids = wanted.map(({ turn_id }) => turn_id as string);
    const last = all || rows.length === detailsPage ? rows.at(-1) : undefined;
    if (last === undefined) return { turn_ids };
    return { turn_ids, next: { finished_at: last.finished_at as number, ordinal: last.ordinal as number } };
  };
  return {
    oldDetails: (before, after) => page(before, after, false),
    finishedBefore: (before, after) => page(before, after, true),

    async idleThreads(namespace, before, after) {
      const from = [after?.last_at ?? Number.MIN_SAFE_INTEGER, after?.thread ?? ""] as const;
      const rows = await tables.all(idleThreads, namespace, before, ...from);
      // The statement named the columns.
      return rows as unknown as IdleThread[];
    },

    async removeTurns(place, before) {
      const turnIds = await tables.write(() => oldestOf(tables, place, before));
      if (turnIds.length === 0) return [];
      // Details are most of a turn. They are deleted in writes of their own, so that the rest is quick.
      await removeDetails(turnIds, before, { idle_since: before });
      return tables.write(function* () {
        // Somebody may have written meanwhile.
        const still = (yield* oldestOf(tables, place, before)).filter((id) => turnIds.includes(id));
        if (still.length > 0) yield* remove(tables, place, still);
        return still;
      });
    },
  };
}

/** The oldest turns of an idle thread; none of one that is in use. */
function* oldestOf(tables: TurnTables, { namespace, thread }: Place, before: number): Work<string[]> {
  yield* tables.lockNamespace(namespace);
  if ((yield [isIdle, namespace, thread, before]).length === 0) return [];
  let bytes = 0;
  const chosen = (yield [oldest, thread, namespace]).filter((turn) => {
    const fits = bytes < maxBytes;
    bytes += Number(turn.bytes);
    return fits;
  });
  return chosen.map(({ turn_id }) => String(turn_id));
}

function* remove(tables: TurnTables, { namespace, thread }: Place, turnIds: readonly string[]): Work<void> {
  for (const turnId of turnIds)
    for (const table of ["events", "signals", "turns"])
      yield [`DELETE FROM ${table} WHERE turn_id = $1`, turnId];
  yield [countRemoved, namespace, thread, turnIds.length, forgottenTitle];
  if ((yield [dropThread, namespace, thread]).length === 0) return;
  if ((yield [dropNamespace, namespace]).length > 0) yield* tables.dropped(namespace);
}
