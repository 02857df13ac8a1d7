import { openSqliteInMemory } from "./sqlite/sqlite-connection.ts";
import { createTurnLog, type SqliteTurnLog } from "./sqlite/sqlite-turn-log.ts";
import { turnLogMigrations } from "./sqlite/turn-log-schema.ts";

/** The SQLite turn log in memory; its content is lost with the process. For tests and benchmarks. */
export function createMemoryTurnLog(): SqliteTurnLog {
  return createTurnLog(openSqliteInMemory(turnLogMigrations));
}
