import { seqStride, type TurnQueue } from "../../../core/log/turn-log.ts";
import { claimedTurnOf } from "../../turns/turn-rows.ts";
import { readEvents } from "./postgres-events.ts";
import { takeNext } from "./postgres-lanes.ts";
import { commitSoon, nowOr, type TurnStore } from "./turn-store.ts";

const isLeased = "status = 'running' AND NOT ready";
const isWaiting = "status = 'waiting' AND NOT ready";
const isExpired = `${isLeased} AND lease_ends <= ${nowOr("$1")} AND turn_id <> ALL ($2::text[])`;
const isDue = `${isWaiting} AND due_at <= ${nowOr("$1")}`;

const look = `
  SELECT EXISTS (SELECT 1 FROM turns WHERE ${isExpired}) AS expired,
    EXISTS (SELECT 1 FROM turns WHERE ${isDue.replace("$1", "$3")}) AS due,
    EXISTS (SELECT 1 FROM turns WHERE suspect) AS suspects`;

/** A resumed turn does not reuse the seqs of events that were shown but not stored under an earlier lease. */
const pastShown = `
  greatest(seq_from, (SELECT max(seq) FROM events WHERE events.turn_id = turns.turn_id)) + ${seqStride}`;

/** The rows that nobody works on at this moment. */
const unlocked = (condition: string) =>
  `ordinal IN (SELECT ordinal FROM turns WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

const wakeDue = `UPDATE turns SET ready = true WHERE ${unlocked(isDue)} RETURNING ${commitSoon}`;
const freeExpired = `
  UPDATE turns SET ready = true, lease = NULL, worker = NULL, seq_from = ${pastShown}
  WHERE ${unlocked(isExpired)} RETURNING ${commitSoon}`;

const ofLost = `${isLeased} AND worker IN (SELECT worker FROM turns WHERE ${isExpired})`;

// In the order in which leases are renewed, so that nobody waits in a circle.
const lockLost = `SELECT ordinal, ${commitSoon} FROM turns WHERE ${ofLost} ORDER BY ordinal FOR NO KEY UPDATE`;

/**
 * Leases that end soon after a start of the server are nobody's fault: they could not be renewed meanwhile. A given clock has nothing to do
 * with the server's.
 */
const isBlamed = `($1::bigint IS NOT NULL OR pg_postmaster_start_time() < clock_timestamp() - interval '30 seconds')`;

/**
 * A worker whose lease expired is gone with all its turns, although the leases of some may run a little longer. They are counted together,
 * once: then nothing has its name any more.
 */
const blameLost = `
  UPDATE turns SET worker = NULL,
    crashes = crashes + CASE WHEN ${isBlamed} AND (suspect OR lost.together = 1) THEN 1 ELSE 0 END,
    late_crashes = late_crashes + CASE WHEN ${isBlamed} AND lost.suspects = 0 AND lost.together > 1 THEN 1 ELSE 0 END,
    suspect = suspect OR (${isBlamed} AND lost.suspects = 0 AND lost.together > 1 AND late_crashes > 0)
  FROM (
    SELECT ordinal, worker, count(*) OVER held AS together, count(*) FILTER (WHERE suspect) OVER held AS suspects
    FROM turns WHERE ${ofLost} WINDOW held AS (PARTITION BY worker)) AS lost
  WHERE turns.ordinal = lost.ordinal`;

const forgive = `UPDATE turns SET worker = NULL WHERE ${isLeased} AND worker = $1`;

const countSuspects = "SELECT count(*) AS suspects FROM turns WHERE suspect";

const clear = "UPDATE turns SET suspect = false WHERE turn_id = $1 AND lease = $2";

const release = `
  WITH freed AS (
    UPDATE turns SET ready = ($3::bigint = 0), lease = NULL, worker = NULL, lease_ends = ${nowOr("$4")} + $3::bigint,
      seq_from = ${pastShown}, crashes = crashes + $5::integer
    WHERE turn_id = $1 AND lease = $2 AND status = 'running' RETURNING ready)
  SELECT ${commitSoon}, CASE WHEN ready THEN pg_notify($6, '')::text END FROM freed`;

// In the order of the rows, so that nobody waits in a circle.
const renew = `
  WITH held AS (
    SELECT ordinal FROM turns JOIN unnest($1::text[], $2::text[]) AS given (id, name) ON turn_id = id AND lease = name
    WHERE status IN ('running', 'waiting') ORDER BY ordinal FOR NO KEY UPDATE OF turns)
  UPDATE turns SET lease_ends = ${nowOr("$3")} + $4::bigint FROM held WHERE turns.ordinal = held.ordinal
  RETURNING turn_id, ${commitSoon}`;

const untilDue = `
  SELECT least(
    (SELECT min(due_at) FROM turns WHERE ${isWaiting}) - ${nowOr("$1")},
    (SELECT min(lease_ends) FROM turns WHERE ${isLeased}) - ${nowOr("$2")}) AS ms`;

/** Claims and leases. Turns are blamed for the end of the worker whose lease expired. */
export function createClaiming(turns: TurnStore): Omit<TurnQueue, "accept"> {
  /** Who claims here. */
  const workers = new Set<string>();
  let isLeaving = false;
  return {
    async claim(lease, leaseMs, options = {}) {
      const { running = [] } = options;
      const [now, steady] = turns.time();
      const found = await turns.get(look, steady, running, now);
      if (found?.expired)
        await turns.transaction(async (session) => {
          for (const sql of [lockLost, blameLost, freeExpired]) await session.run(sql, steady, running);
        });
      if (found?.due) await turns.run(wakeDue, now);
      // Of one that leaves, nothing is counted.
      const worker = isLeaving ? null : workerOf(lease);
      if (worker !== null) workers.add(worker);
      const hasSuspects = found?.suspects === true || found?.expired === true;
      const row = await takeNext(turns, { lease, worker, leaseMs, options }, hasSuspects);
      if (row === undefined) return undefined;
      const events = await readEvents(turns, turns.parse, String(row.turn_id));
      return claimedTurnOf(row, lease, events, row.suspect === true, turns.place);
    },

    async reclaim() {
      const suspects = Number((await turns.get(countSuspects))?.suspects);
      return { crashed: false, interrupted: 0, suspects };
    },

    async settle() {},

    async leave() {
      isLeaving = true;
      for (const worker of workers) await turns.run(forgive, worker);
    },

    async clear(turnId, lease) {
      await turns.run(clear, turnId, lease);
    },

    async release(turnId, lease, afterMs, failed = false) {
      const { work } = turns.channels;
      await turns.run(release, turnId, lease, Math.ceil(afterMs), turns.time()[1], failed ? 1 : 0, work);
    },

    async renew(leases, leaseMs) {
      if (leases.length === 0) return [];
      const given = [leases.map(({ turn_id }) => turn_id), leases.map(({ lease }) => lease)];
      const rows = await turns.all(renew, ...given, turns.time()[1], leaseMs);
      const kept = new Set(rows.map(({ turn_id }) => turn_id));
      return leases.flatMap(({ turn_id }) => (kept.has(turn_id) ? [] : [turn_id]));
    },

    async untilDue() {
      const ms = (await turns.get(untilDue, ...turns.time()))?.ms;
      return typeof ms === "number" ? Math.max(0, ms) : undefined;
    },
  };
}

/** The worker that made a claim: its lease without the number of the claim. */
function workerOf(lease: string): string {
  const colon = lease.lastIndexOf(":");
  return colon === -1 ? lease : lease.slice(0, colon);
}
