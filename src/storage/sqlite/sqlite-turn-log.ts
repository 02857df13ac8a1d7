import type { TurnLog } from "../../core/log/turn-log.ts";
import type { DueEntries } from "../../core/ports/schedules.ts";
import { createAccepting } from "./sqlite-accepting.ts";
import { createAppending } from "./sqlite-appending.ts";
import { createClaiming } from "./sqlite-claiming.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";
import { createDetailsRemoval } from "./sqlite-details.ts";
import { createDueEntries } from "./sqlite-due-entries.ts";
import { createForgetting } from "./sqlite-forgetting.ts";
import { createHealth } from "./sqlite-health.ts";
import { createReading } from "./sqlite-reading.ts";
import { createSignalling } from "./sqlite-signalling.ts";
import { createThreadReading } from "./sqlite-threads.ts";
import { createTurnRemoval } from "./sqlite-turn-removal.ts";
import { turnLogMigrations } from "./turn-log-schema.ts";

/**
 * Opens or creates a turn log in a SQLite file. Several processes may have the same file open.
 * @throws StorageError, as does every method
 */
export async function openSqliteTurnLog(path: string, options: SqliteOptions = {}): Promise<SqliteTurnLog> {
  return createTurnLog(await openSqlite(path, turnLogMigrations, options));
}

/** A turn log, and what comes due by itself, in one file. */
export interface SqliteTurnLog extends TurnLog {
  readonly due: DueEntries;
}

/** The turn log on an open file that has its tables. */
export function createTurnLog(connection: SqliteConnection): SqliteTurnLog {
  const details = createDetailsRemoval(connection);
  return {
    ...createAccepting(connection),
    ...createClaiming(connection),
    ...createAppending(connection),
    ...createHealth(connection),
    ...createSignalling(connection),
    ...createForgetting(connection),
    ...details,
    ...createTurnRemoval(connection, details.removeDetails),
    ...createReading(connection),
    ...createThreadReading(connection),
    due: createDueEntries(connection),
    close: () => connection.close(),
  };
}
