import { openSqliteInMemory } from "./sqlite-connection.ts";
import { createTurnLog, type SqliteTurnLog } from "./sqlite-turn-log.ts";
import { turnLogMigrations } from "./turn-log-schema.ts";

/** The SQLite turn log in memory: it forgets everything with the process. For tests and benchmarks. */
export function createMemoryTurnLog(): SqliteTurnLog {
  return createTurnLog(openSqliteInMemory(turnLogMigrations));
}
