import type { TurnHealth } from "../../../core/log/turn-log.ts";
import { nowOr, type TurnStore } from "./turn-store.ts";

const counts = "SELECT status, count(*) AS turns FROM turns WHERE status <> 'finished' GROUP BY status";

const held = "SELECT count(*) AS turns FROM turns WHERE suspect AND ready";

// Turns that wait for a worker: those that are ready, and waits and leases that ended, since then.
const oldest = `
  SELECT least(
    (SELECT min(accepted_at) FROM turns WHERE ready AND NOT suspect),
    (SELECT min(due_at) FROM turns WHERE status = 'waiting' AND NOT ready AND due_at <= ${nowOr("$1")}),
    (SELECT min(lease_ends) FROM turns WHERE status = 'running' AND NOT ready AND lease_ends <= ${nowOr("$1")})) AS at`;

const write = "INSERT INTO probe (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at";

/** The health of the log, and how much work it holds. */
export function createHealth(turns: TurnStore): TurnHealth {
  return {
    async backlog() {
      const states = { queued: 0, running: 0, waiting: 0 };
      for (const { status, turns: number } of await turns.all(counts))
        states[status as keyof typeof states] = Number(number);
      const suspects = Number((await turns.get(held))?.turns);
      const at = (await turns.get(oldest, turns.time()[0]))?.at;
      return {
        ...states,
        ...(suspects === 0 ? {} : { held: suspects }),
        ...(typeof at === "number" ? { oldest_at: at } : {}),
      };
    },
    async probe(at) {
      await turns.run(write, at);
    },
  };
}
