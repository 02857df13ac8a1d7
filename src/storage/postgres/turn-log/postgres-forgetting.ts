import type { ForgettingTables } from "../../turns/turn-forgetting.ts";
import { postgresTables } from "../postgres-tables.ts";
import { insertEvent, replaceEvent, selectEvents, toEvent } from "./postgres-events.ts";
import type { TurnStore } from "./turn-store.ts";

/** The tables of a schema, for the deletion of what people said. */
export function forgettingTables(turns: TurnStore): ForgettingTables {
  return {
    ...postgresTables(turns),
    *lockThreadOf(turnId) {
      const join = "threads JOIN turns USING (namespace, thread)";
      yield [`SELECT 1 FROM ${join} WHERE turn_id = $1 FOR NO KEY UPDATE OF threads`, turnId];
    },
    *events(turnId) {
      return (yield [selectEvents, turnId, -1]).map((row) => toEvent(turns.parse, turnId, row));
    },
    *insert(events) {
      for (const event of events) yield insertEvent(event);
    },
    *replace(event) {
      yield replaceEvent(event);
    },
    // JSON text.
    emptyText: '""',
    async truncateLog() {},
  };
}
