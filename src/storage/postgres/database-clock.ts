import type { Clock } from "../../core/ports/storage.ts";
import type { PostgresSession } from "./postgres-connection.ts";

/** A smaller difference is left alone: it may be the way to the database, and times should not jump. */
const toleratedMs = 1_000;
/** Pause between two looks at the database's clock, ms. */
const pauseMs = 60_000;

/** The time of a database. */
export interface DatabaseClock {
  clock: Clock;
  /** How far the clock of this machine is ahead of the database's, ms; 0 while they agree to a second. */
  ahead(): number;
  stop(): void;
}

/**
 * The time of the database, which its processes share: a deadline that one of them sets means the same to all, even if the clocks of their
 * machines differ. It is asked for now and once a minute; in between, and while the database cannot be reached, the machine's clock goes on.
 * @throws StorageError
 */
export async function followDatabaseClock(
  connection: Pick<PostgresSession, "get">,
  machine: Clock,
): Promise<DatabaseClock> {
  let ahead = 0;
  const look = async () => {
    const before = machine.now();
    const row = await connection.get("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
    const after = machine.now();
    const difference = (before + after) / 2 - Number(row?.now);
    // An answer that took long says little.
    if (Math.abs(difference - ahead) > Math.max(toleratedMs, after - before))
      ahead = Math.abs(difference) < toleratedMs ? 0 : Math.round(difference);
  };
  await look();
  let cancel = () => {};
  let isStopped = false;
  const again = () => {
    if (isStopped) return;
    cancel = machine.after(pauseMs, () => void look().then(again, again));
  };
  again();
  return {
    clock: { ...machine, now: () => machine.now() - ahead },
    ahead: () => ahead,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
