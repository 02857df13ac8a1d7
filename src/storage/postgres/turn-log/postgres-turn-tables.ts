import { sums } from "../../turns/turn-reading.ts";
import { detailsPage } from "../../turns/turn-removal.ts";
import { isUnused } from "../../turns/turn-statements.ts";
import type { TurnTables } from "../../turns/turn-tables.ts";
import { postgresTables } from "../postgres-tables.ts";
import { insertEvent, replaceEvent, selectEvents, toEvent } from "./postgres-events.ts";
import { lockNamespace, type TurnStore } from "./turn-store.ts";

const oldTurns = `
  SELECT turns.turn_id, turns.finished_at, turns.ordinal, ${isUnused("$1")} AS unused
  FROM (
    SELECT turn_id, finished_at, ordinal, namespace, thread FROM turns
    WHERE details AND status = 'finished' AND finished_at < $1 AND (finished_at, ordinal) > ($2, $3)
    ORDER BY finished_at, ordinal LIMIT ${detailsPage}) AS turns
  JOIN threads USING (namespace, thread)
  ORDER BY turns.finished_at, turns.ordinal`;

/** The tables of the turn log of a schema. */
export function postgresTurnTables(turns: TurnStore): TurnTables {
  const { parse } = turns;
  return {
    ...postgresTables(turns),
    parse,
    // A commit waits for the disk.
    durable: async () => {},
    truncateLog: async () => {},
    selectEvents,
    toEvent: (turnId, row) => toEvent(parse, turnId, row),
    *insertEvents(events) {
      for (const event of events) yield insertEvent(event);
    },
    *replaceEvent(event) {
      yield replaceEvent(event);
    },
    *lockThreadOf(turnId) {
      const join = "threads JOIN turns USING (namespace, thread)";
      yield [`SELECT 1 FROM ${join} WHERE turn_id = $1 FOR NO KEY UPDATE OF threads`, turnId];
    },
    *lockNamespace(namespace) {
      yield [lockNamespace, namespace];
    },
    *dropped() {},
    textOf: (column) => (column === null ? null : parse(column)),
    // JSON text.
    emptyText: '""',
    // Each holds the lock of a thread.
    turnsAtOnce: 1,
    sql: {
      lockRow: "FOR UPDATE",
      unfinished: "turns",
      everywhere: `namespaces CROSS JOIN LATERAL (
        SELECT ${sums} FROM turns WHERE turns.namespace = namespaces.namespace AND accepted_at >= $1) AS used`,
      decider: "events.body::json -> 'person' ->> 'id'",
      threads: "threads",
      eventBytes: "octet_length(body)",
      oldTurns,
    },
  };
}
