import type { FinishedPage, IdleThread, TurnRemoval } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import type { Tables, Work } from "../tables.ts";
import { finishedPageOf } from "./turn-rows.ts";
import { countRemoved, dropNamespace, dropThread } from "./turn-statements.ts";
import { forgottenTitle } from "./turn-texts.ts";

/** The tables of a turn log, and what differs between databases. */
interface RemovalTables extends Tables, Pick<TurnRemoval, "removeDetails"> {
  /** SQL for the threads of a namespace by their last activity. */
  readonly threads: string;
  /** Locks a namespace against new turns. */
  lockNamespace(namespace: string): Work<void>;
  /** Follows the deletion of a namespace. */
  dropped(namespace: string): Work<void>;
}

/** Turns that one call deletes, and bytes of texts after which it stops. */
const maxTurns = 50;
const maxBytes = 250_000;

/** Threads in a page. */
const pageSize = 200;

const isIdle =
  "SELECT 1 FROM threads WHERE namespace = $1 AND thread = $2 AND unfinished = 0 AND last_at < $3";

const oldest = `
  SELECT turn_id, octet_length(text) + coalesce(octet_length(answer), 0) AS bytes FROM turns
  WHERE thread = $1 AND namespace = $2 ORDER BY ordinal LIMIT ${maxTurns}`;

/** Deletes conversations that have been idle for long. */
export function createTurnRemoval(tables: RemovalTables): Pick<TurnRemoval, "idleThreads" | "removeTurns"> {
  const idleThreads = `
    SELECT thread, turns, last_at FROM ${tables.threads}
    WHERE namespace = $1 AND last_at < $2 AND (last_at, thread) > ($3, $4) AND unfinished = 0
    ORDER BY last_at, thread LIMIT ${pageSize}`;
  return {
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
      await tables.removeDetails(turnIds, before, { idle_since: before });
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
function* oldestOf(tables: RemovalTables, { namespace, thread }: Place, before: number): Work<string[]> {
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

function* remove(
  tables: RemovalTables,
  { namespace, thread }: Place,
  turnIds: readonly string[],
): Work<void> {
  for (const turnId of turnIds)
    for (const table of ["events", "signals", "turns"])
      yield [`DELETE FROM ${table} WHERE turn_id = $1`, turnId];
  yield [countRemoved, namespace, thread, turnIds.length, forgottenTitle];
  if ((yield [dropThread, namespace, thread]).length === 0) return;
  if ((yield [dropNamespace, namespace]).length > 0) yield* tables.dropped(namespace);
}

/** Maximum turns that one page looks at. */
export const detailsPage = 100;

/** Pages of finished turns that have their details. `oldTurns`: SQL for one page. */
export function createDetailsPages(
  tables: Pick<Tables, "all">,
  oldTurns: string,
): Pick<TurnRemoval, "oldDetails" | "finishedBefore"> {
  const page = async (
    before: number,
    after = { finished_at: Number.MIN_SAFE_INTEGER, ordinal: 0 },
    all: boolean,
  ): Promise<FinishedPage> => {
    const rows = await tables.all(oldTurns, before, after.finished_at, after.ordinal);
    return finishedPageOf(rows, all, detailsPage);
  };
  return {
    oldDetails: (before, after) => page(before, after, false),
    finishedBefore: (before, after) => page(before, after, true),
  };
}
