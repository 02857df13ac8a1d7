import type { IdleThread, TurnRemoval } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import { countRemoved, dropNamespace, dropThread } from "../turns/turn-statements.ts";
import { forgottenTitle } from "../turns/turn-texts.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Turns that one call deletes, and bytes of texts after which it stops. */
const maxTurns = 50;
const maxBytes = 250_000;

/** Threads in a page. */
const pageSize = 200;

const idleThreads = `
  SELECT thread, turns, last_at FROM threads INDEXED BY threads_by_activity
  WHERE namespace = ?1 AND last_at < ?2 AND (last_at, thread) > (?3, ?4) AND unfinished = 0
  ORDER BY last_at, thread LIMIT ${pageSize}`;

const isIdle = "SELECT 1 FROM threads WHERE namespace = ? AND thread = ? AND unfinished = 0 AND last_at < ?";

const oldest = `
  SELECT turn_id, octet_length(text) + ifnull(octet_length(answer), 0) AS bytes FROM turns
  WHERE thread = ? AND namespace = ? ORDER BY ordinal LIMIT ${maxTurns}`;

const dropLanes = "DELETE FROM lanes WHERE lane IN ('urgent', 'command', 'message') AND namespace = ?";

/** Deletes conversations that have been idle for long. */
export function createTurnRemoval(
  connection: SqliteConnection,
  removeDetails: TurnRemoval["removeDetails"],
): Pick<TurnRemoval, "idleThreads" | "removeTurns"> {
  return {
    async idleThreads(namespace, before, after) {
      const from = [after?.last_at ?? Number.MIN_SAFE_INTEGER, after?.thread ?? ""] as const;
      return connection.all(idleThreads, namespace, before, ...from).map(
        ({ thread, turns, last_at }): IdleThread => ({
          thread: thread as string,
          turns: turns as number,
          last_at: last_at as number,
        }),
      );
    },

    async removeTurns(place, before) {
      const turnIds = oldestOf(connection, place, before);
      if (turnIds.length === 0) return [];
      // Details are most of a turn. They are deleted in writes of their own, so that the rest is quick.
      await removeDetails(turnIds, before, { idle_since: before });
      return connection.write(() =>
        connection.transaction(() => {
          // Somebody may have written meanwhile.
          const still = oldestOf(connection, place, before).filter((id) => turnIds.includes(id));
          if (still.length > 0) remove(connection, place, still);
          return still;
        }),
      );
    },
  };
}

/** The oldest turns of an idle thread; none of one that is in use. */
function oldestOf(connection: SqliteConnection, { namespace, thread }: Place, before: number): string[] {
  if (connection.get(isIdle, namespace, thread, before) === undefined) return [];
  let bytes = 0;
  const chosen = connection.all(oldest, thread, namespace).filter((turn) => {
    const fits = bytes < maxBytes;
    bytes += turn.bytes as number;
    return fits;
  });
  return chosen.map(({ turn_id }) => turn_id as string);
}

function remove(
  connection: SqliteConnection,
  { namespace, thread }: Place,
  turnIds: readonly string[],
): void {
  for (const turnId of turnIds) {
    connection.run("DELETE FROM events WHERE turn_id = ?", turnId);
    connection.run("DELETE FROM signals WHERE turn_id = ?", turnId);
    connection.run("DELETE FROM turns WHERE turn_id = ?", turnId);
  }
  connection.run(countRemoved, namespace, thread, turnIds.length, forgottenTitle);
  if (connection.run(dropThread, namespace, thread) === 0) return;
  if (connection.run(dropNamespace, namespace) > 0) connection.run(dropLanes, namespace);
}
