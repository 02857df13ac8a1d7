import type { ClaimedTurn, TurnLog } from "../core/turn-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { inboundOf, readEvents } from "./sqlite-events.ts";
import { lostEntryError } from "./storage-error.ts";

const allKinds = ["command", "message"] as const;

// Two look-ups in the index of heads: the oldest that is due at once, and the oldest whose time has come.
const oldestDue = `
  SELECT min(ordinal) AS ordinal FROM (
    SELECT * FROM (SELECT ordinal FROM turns WHERE head = 1 AND kind = ?1 AND due_at = 0 ORDER BY ordinal LIMIT 1)
    UNION ALL SELECT ordinal FROM turns WHERE head = 1 AND kind = ?1 AND due_at > 0 AND due_at <= ?2)`;

const lease = `
  UPDATE turns SET status = 'running', lease_owner = ?2, due_at = ?3, woken = 0
  WHERE ordinal = ?1 RETURNING turn_id`;

const release = `
  UPDATE turns INDEXED BY turns_unfinished SET lease_owner = NULL, due_at = 0
  WHERE status = 'running' AND status <> 'finished'`;

const extend = "UPDATE turns SET due_at = ? WHERE turn_id = ? AND lease_owner = ? AND status = 'running'";

const earliest = "SELECT min(due_at) AS due_at FROM turns WHERE head = 1 AND kind = ? AND due_at > 0";

/** Who works on what, and until when. */
export function createClaiming(
  connection: SqliteConnection,
): Pick<TurnLog, "claim" | "reclaim" | "renew" | "nextDue" | "pending"> {
  const find = (now: number, kinds: readonly string[]) => {
    const ordinals = kinds.map((kind) => connection.get(oldestDue, kind, now)?.ordinal as number | null);
    return ordinals.filter((ordinal) => ordinal !== null).sort((a, b) => a - b)[0];
  };
  return {
    async claim(owner, now, leaseMs, kinds = allKinds) {
      // A look without the write lock first: an idle worker disturbs nobody.
      if (find(now, kinds) === undefined) return undefined;
      return connection.transaction(() => {
        const ordinal = find(now, kinds);
        if (ordinal === undefined) return undefined;
        const turnId = connection.get(lease, ordinal, owner, now + leaseMs)?.turn_id as string;
        return readClaimed(connection, turnId, ordinal);
      });
    },

    async reclaim() {
      connection.run(release);
    },

    async renew(owner, turnIds, now, leaseMs) {
      if (turnIds.length === 0) return [];
      return connection.transaction(() =>
        turnIds.filter((turnId) => connection.run(extend, now + leaseMs, turnId, owner) === 0),
      );
    },

    async nextDue() {
      const times = allKinds.map((kind) => connection.get(earliest, kind)?.due_at as number | null);
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? undefined : Math.min(...known);
    },

    async pending() {
      const row = connection.get("SELECT count(*) AS pending FROM turns WHERE status <> 'finished'");
      return Number(row?.pending);
    },
  };
}

function readClaimed(connection: SqliteConnection, turnId: string, ordinal: number): ClaimedTurn {
  const events = readEvents(connection, turnId, -1);
  const inbound = inboundOf(events[0]);
  if (inbound === undefined) throw lostEntryError(connection.path, turnId);
  return { turn_id: turnId, inbound, events, ordinal };
}
