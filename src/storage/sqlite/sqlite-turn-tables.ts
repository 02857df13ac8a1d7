import { detailsPage } from "../turns/turn-removal.ts";
import { isUnused } from "../turns/turn-statements.ts";
import type { TurnTables } from "../turns/turn-tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvents, selectEvents, sharedTexts, toEvent } from "./sqlite-events.ts";
import { sqliteTables } from "./sqlite-tables.ts";

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

/** The tables of the turn log of an open file. */
export function sqliteTurnTables(connection: SqliteConnection): TurnTables {
  const { parse, durable, truncateLog } = connection;
  return {
    ...sqliteTables(connection),
    ...{ parse, durable },
    // The write-ahead log still has the old pages. If another process is reading just now, its next checkpoint removes them.
    truncateLog,
    selectEvents,
    toEvent: (turnId, row) => toEvent(connection, turnId, row),
    // biome-ignore lint/correctness/useYield: its statements are carried out at once.
    *insertEvents(events) {
      insertEvents(connection, events);
    },
    *replaceEvent(event) {
      yield ["DELETE FROM events WHERE turn_id = $1 AND seq = $2", event.turn_id, event.seq];
      insertEvents(connection, [event]);
    },
    *lockThreadOf() {},
    *lockNamespace() {},
    *dropped(namespace) {
      const lanes = "('urgent', 'command', 'message')";
      yield [`DELETE FROM lanes WHERE lane IN ${lanes} AND namespace = $1`, namespace];
    },
    textOf: (column) => column,
    emptyText: "",
    turnsAtOnce: Number.POSITIVE_INFINITY,
    sql: {
      lockRow: "",
      unfinished: "turns INDEXED BY turns_unfinished",
      everywhere: "namespaces CROSS JOIN turns USING (namespace) WHERE accepted_at >= $1",
      decider: "events.body -> 'person' ->> 'id'",
      threads: "threads INDEXED BY threads_by_activity",
      // A text that several events share is deleted with the last of them, so each counts a part of it.
      eventBytes: `octet_length(body) + ifnull((SELECT sum(octet_length(stored.text) / stored.uses) FROM ${sharedTexts}), 0)`,
      oldTurns,
    },
  };
}
