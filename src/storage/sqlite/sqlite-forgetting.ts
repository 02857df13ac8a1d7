import type { ForgettingTables } from "../turns/turn-forgetting.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvents, readEvents } from "./sqlite-events.ts";
import { atOnce, sqliteTables } from "./sqlite-tables.ts";

/** The tables of an open file, for the deletion of what people said. */
export function forgettingTables(connection: SqliteConnection): ForgettingTables {
  return {
    ...sqliteTables(connection),
    *lockThreadOf() {},
    events: (turnId) => atOnce(() => readEvents(connection, turnId, -1)),
    insert: (events) => atOnce(() => insertEvents(connection, events)),
    *replace(event) {
      yield ["DELETE FROM events WHERE turn_id = $1 AND seq = $2", event.turn_id, event.seq];
      insertEvents(connection, [event]);
    },
    emptyText: "",
    // The write-ahead log still has the old pages. If another process is reading just now, its next checkpoint removes them.
    truncateLog: () => connection.truncateLog(),
  };
}
