import type { ClaimOptions, Lane } from "../../../core/log/turn-log.ts";
import type { PostgresRow } from "../postgres-connection.ts";
import { commitSoon, nowOr, type TurnStore } from "./turn-store.ts";

/** Every lane, in the default order of claims. */
const allLanes: readonly Lane[] = ["urgent", "command", "message"];

/** Who claims, and how. */
export interface Claim {
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
export async function takeNext(
  turns: TurnStore,
  claim: Claim,
  hasSuspects: boolean,
): Promise<PostgresRow | undefined> {
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
