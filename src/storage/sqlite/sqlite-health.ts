import type { TurnHealth } from "../../core/log/turn-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

const counts = `
  SELECT status, count(*) AS turns FROM turns INDEXED BY turns_unfinished
  WHERE status <> 'finished' GROUP BY status`;

const held = `
  SELECT count(*) AS turns FROM turns INDEXED BY turns_suspect
  WHERE suspect = 1 AND head = 1 AND lease IS NULL AND due_at = 0`;

// What waits for a worker: new or woken heads, and waits and leases that ended, since then.
const oldest = `
  SELECT min(at) AS at FROM (
    SELECT min(accepted_at) AS at FROM turns
      WHERE ordinal IN (SELECT min(ready) FROM lanes WHERE ready IS NOT NULL GROUP BY lane)
    UNION ALL SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'waiting' AND due_at <= ?1
    UNION ALL SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'running' AND due_at <= ?1)`;

const write = "INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at";

/** Whether the log is well, and how much work it holds. */
export function createHealth(connection: SqliteConnection): TurnHealth {
  return {
    async backlog(now) {
      const states = { queued: 0, running: 0, waiting: 0 };
      for (const { status, turns } of connection.all(counts))
        states[status as keyof typeof states] = Number(turns);
      const suspects = Number(connection.get(held)?.turns);
      const at = connection.get(oldest, now)?.at as number | null;
      return {
        ...states,
        ...(suspects === 0 ? {} : { held: suspects }),
        ...(at === null ? {} : { oldest_at: at }),
      };
    },
    async probe(at) {
      await connection.write(() => connection.run(write, at));
      await connection.durable();
    },
  };
}
