import { openSqliteInMemory } from "./sqlite/sqlite-connection.ts";
import { createTurnLog, type SqliteTurnLog } from "./sqlite/sqlite-turn-log.ts";
import { turnLogFormat } from "./sqlite/turn-log-schema.ts";
import { type StoreClock, systemTime } from "./store-clock.ts";

/**
 * The SQLite turn log in memory; its content is lost with the process. For tests and benchmarks. Leases end by the wall clock unless the
 * clock has steady time.
 */
export function createMemoryTurnLog(
  clock: Pick<StoreClock, "now"> & Partial<StoreClock> = systemTime,
): SqliteTurnLog {
  return createTurnLog(openSqliteInMemory(turnLogFormat), { steady: clock.now, ...clock });
}
