import type { TurnReading } from "../../core/log/turn-log.ts";
import { createTurnReading } from "../turns/turn-reading.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readEvents } from "./sqlite-events.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/** Turns and their events. */
export function createReading(connection: SqliteConnection): TurnReading {
  return createTurnReading({
    ...sqliteTables(connection),
    parse: connection.parse,
    read: async (turnId, afterSeq = -1) => readEvents(connection, turnId, afterSeq),
    plain: (row) => row,
    unfinished: "turns INDEXED BY turns_unfinished",
    decider: "events.body -> 'person' ->> 'id'",
    everywhere: "namespaces CROSS JOIN turns USING (namespace) WHERE accepted_at >= $1",
  });
}
