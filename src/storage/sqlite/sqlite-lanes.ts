import type { ClaimOptions, Lane } from "../../core/log/turn-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Every lane, in the default order of claims. */
const allLanes: readonly Lane[] = ["urgent", "command", "message"];

const refresh = `
  UPDATE lanes SET ready = found.ordinal
  FROM (SELECT min(ordinal) AS ordinal FROM turns
        WHERE lane = ?1 AND namespace = ?2 AND head = 1 AND due_at = 0 AND suspect = 0) AS found
  WHERE lane = ?1 AND namespace = ?2 AND ready IS NOT found.ordinal`;

const add = `
  INSERT INTO lanes (lane, namespace, ready) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET ready = excluded.ready WHERE ready IS NULL OR ready > excluded.ready`;

// A turn that is due for a retry in a moment also counts: the index alone answers this.
const held = `
  SELECT namespace, count(*) AS count FROM turns
  WHERE head = 1 AND due_at > 0 AND status = 'running' AND lane = ? GROUP BY namespace`;

const oldestElsewhere = `
  SELECT ready FROM lanes
  WHERE lane = ? AND ready IS NOT NULL AND namespace NOT IN (SELECT value FROM json_each(?))
  ORDER BY ready LIMIT 1`;

const readyIn = "SELECT ready FROM lanes WHERE lane = ? AND namespace = ?";

// These three look only at turns that ran during a crash and have not ended since: at most as many as there were slots.
const anySuspect = "EXISTS (SELECT 1 FROM turns INDEXED BY turns_suspect WHERE suspect = 1)";
const leastBlamed = `
  SELECT ordinal FROM turns INDEXED BY turns_suspect
  WHERE suspect = 1 AND lane = ? AND head = 1 AND due_at = 0 ORDER BY crashes, ordinal LIMIT 1`;
const heldSuspects = `
  SELECT count(*) AS count, (SELECT at_once FROM life) AS at_once FROM turns INDEXED BY turns_suspect
  WHERE suspect = 1 AND lease IS NOT NULL AND lane IN (SELECT value FROM json_each(?))`;

// Most looks find nothing: after each accepted and each finished turn, in each lane.
const readyLanes = allLanes.map(
  (lane) => `EXISTS (SELECT 1 FROM lanes WHERE lane = '${lane}' AND ready IS NOT NULL) AS ${lane}`,
);
const look = `SELECT ${anySuspect} AS suspects, ${readyLanes.join(", ")}`;

/** Updates `ready` of a lane after a turn in it was added, removed, or changed its due time. */
export function refreshLane(connection: SqliteConnection, lane: string, namespace: string): void {
  connection.run(refresh, lane, namespace);
}

/** Adds a turn that can be claimed immediately. */
export function addToLane(
  connection: SqliteConnection,
  lane: Lane,
  namespace: string,
  ordinal: number,
): void {
  connection.run(add, lane, namespace, ordinal);
}

/** The ordinal of the next turn, from the first of these lanes that has one. */
export function nextInLanes(connection: SqliteConnection, options: ClaimOptions): number | undefined {
  const { lanes = allLanes, max_per_namespace: max = {} } = options;
  const found = connection.get(look);
  for (const lane of lanes) {
    const suspect = found?.suspects === 1 ? nextSuspect(connection, lane) : undefined;
    const fairest = () => fairestIn(connection, lane, max[lane] ?? Number.POSITIVE_INFINITY);
    const ordinal = suspect ?? (found?.[lane] === 1 ? fairest() : undefined);
    if (ordinal !== undefined) return ordinal;
  }
  return undefined;
}

/** Whether a turn that is not finished is a suspect. */
export function hasAnySuspect(connection: SqliteConnection): boolean {
  return connection.get(`SELECT ${anySuspect} AS suspects`)?.suspects === 1;
}

/** The next suspect of a lane, if it may run. It does not wait for suspects of a later lane: a command never waits for a message. */
function nextSuspect(connection: SqliteConnection, lane: Lane): number | undefined {
  const next = connection.get(leastBlamed, lane);
  if (next === undefined) return undefined;
  const before = allLanes.slice(0, allLanes.indexOf(lane) + 1);
  const held = connection.get(heldSuspects, JSON.stringify(before));
  return Number(held?.count) < Number(held?.at_once) ? Number(next.ordinal) : undefined;
}

/** The oldest turn of a namespace in which none runs; otherwise of the one with the fewest, below the limit. */
function fairestIn(connection: SqliteConnection, lane: Lane, max: number): number | undefined {
  const busy = connection.all(held, lane) as { namespace: string; count: number }[];
  const idle = connection.get(oldestElsewhere, lane, JSON.stringify(busy.map(({ namespace }) => namespace)));
  if (idle !== undefined) return Number(idle.ready);
  const waiting = busy
    .filter(({ count }) => count < max)
    .map(({ namespace, count }) => ({ count, ready: connection.get(readyIn, lane, namespace)?.ready }))
    .filter((one): one is { count: number; ready: number } => typeof one.ready === "number");
  return waiting.sort((a, b) => a.count - b.count || a.ready - b.ready)[0]?.ready;
}
