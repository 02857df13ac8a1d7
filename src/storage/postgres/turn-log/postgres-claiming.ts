import { type ClaimOptions, type Lane, seqStride, type TurnQueue } from "../../../core/log/turn-log.ts";
import type { Row } from "../../tables.ts";
import { claimedTurnOf } from "../../turns/turn-rows.ts";
import { selectEvents, toEvent } from "./postgres-events.ts";
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
      const turnId = String(row.turn_id);
      const stored = await turns.all(selectEvents, turnId, -1);
      const events = stored.map((event) => toEvent(turns.parse, turnId, event));
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

/** Every lane, in the default order of claims. */
const allLanes: readonly Lane[] = ["urgent", "command", "message"];

/** Who claims, and how. */
interface Claim {
  lease: string;
  /** Null if nobody is to blame for its end. */
  worker: string | null;
  leaseMs: number;
  options: ClaimOptions;
}

/**
 * Takes the turn that `chosen` finds and locks. It skips rows that others have locked: they are being claimed, or whoever changes them tells
 * when they are ready.
 */
const take = (chosen: string) => `
  UPDATE turns SET status = 'running', ready = false, lease = $1, worker = $2, lease_ends = ${nowOr("$3")} + $4::bigint, woken = 0
  WHERE ordinal = (${chosen})
  RETURNING turn_id, ordinal, seq_from, crashes, late_crashes, suspect, ${commitSoon}`;

/**
 * A turn that waited in the middle of a call goes on in the worker that has the call, unless its lease ended. The name of the lease tells
 * who that is; `worker` is null once another lease of the same worker has ended.
 */
const isFree = `
  ready AND NOT suspect AND (lease IS NULL OR starts_with(lease, $2::text || ':') OR lease_ends <= ${nowOr("$3")})`;

/**
 * The oldest turn of the namespace with the fewest leased turns, from the first of the lanes that has one. It looks at the namespaces that
 * have a ready turn, one after another in the index, and never at the turns queued in them. A turn that is due for a retry in a moment
 * counts as leased. The rows of `fairest` come in order, and only those that are needed are locked.
 *
 * Claims at the same moment do not see each other: a namespace may get one more than its maximum for each of them.
 */
const takeFairest = take(`
  WITH RECURSIVE wanted AS (
    SELECT * FROM unnest($5::text[], $6::bigint[]) WITH ORDINALITY AS wanted (lane, most, place)),
  waiting AS (
    SELECT wanted.lane, oldest.namespace, oldest.ordinal FROM wanted CROSS JOIN LATERAL (
      SELECT namespace, ordinal FROM turns WHERE ${isFree} AND lane = wanted.lane
      ORDER BY namespace, ordinal LIMIT 1) AS oldest
    UNION ALL
    SELECT waiting.lane, oldest.namespace, oldest.ordinal FROM waiting CROSS JOIN LATERAL (
      SELECT namespace, ordinal FROM turns WHERE ${isFree} AND lane = waiting.lane AND namespace > waiting.namespace
      ORDER BY namespace, ordinal LIMIT 1) AS oldest),
  leased AS (
    SELECT lane, namespace, count(*) AS turns FROM turns WHERE status = 'running' AND NOT ready GROUP BY lane, namespace),
  fairest AS (
    SELECT waiting.lane, waiting.namespace FROM waiting JOIN wanted USING (lane) LEFT JOIN leased USING (lane, namespace)
    WHERE coalesce(leased.turns, 0) < wanted.most
    ORDER BY wanted.place, coalesce(leased.turns, 0), waiting.ordinal)
  SELECT chosen.ordinal FROM fairest CROSS JOIN LATERAL (
    SELECT ordinal FROM turns WHERE ${isFree} AND lane = fairest.lane AND namespace = fairest.namespace
    ORDER BY ordinal LIMIT 1 FOR UPDATE SKIP LOCKED) AS chosen LIMIT 1`);

/**
 * The suspect with the fewest crashes, if the worker runs none. These rows are few: turns that ran during a crash and have not ended since.
 * It does not wait for suspects of a later lane: a command never waits for a message.
 */
const takeSuspect = take(`
  SELECT ordinal FROM turns WHERE suspect AND ready AND lane = $5
    AND NOT EXISTS (SELECT 1 FROM turns WHERE suspect AND worker = $2 AND lane = ANY ($6::text[]))
  ORDER BY crashes, ordinal LIMIT 1 FOR UPDATE SKIP LOCKED`);

/** Claims the next turn. @param hasSuspects whether there may be suspects */
async function takeNext(turns: TurnStore, claim: Claim, hasSuspects: boolean): Promise<Row | undefined> {
  const { lease, worker, leaseMs, options } = claim;
  const { lanes = allLanes, max_per_namespace: max = {} } = options;
  const by = [lease, worker, turns.time()[1], leaseMs] as const;
  const fairest = (some: readonly Lane[]) => {
    const most = some.map((lane) => max[lane] ?? Number.MAX_SAFE_INTEGER);
    return turns.get(takeFairest, ...by, some, most);
  };
  if (!hasSuspects) return fairest(lanes);
  for (const lane of lanes) {
    const before = allLanes.slice(0, allLanes.indexOf(lane) + 1);
    const suspect = await turns.get(takeSuspect, ...by, lane, before);
    const row = suspect ?? (await fairest([lane]));
    if (row !== undefined) return row;
  }
  return undefined;
}
