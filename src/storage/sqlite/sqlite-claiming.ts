import { seqStride, type Takeover, type TurnQueue } from "../../core/log/turn-log.ts";
import type { StoreClock } from "../store-clock.ts";
import type { Row } from "../tables.ts";
import { judgeCrash, type LifeBefore } from "../turns/turn-blame.ts";
import { claimedTurnOf } from "../turns/turn-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { selectEvents, toEvent } from "./sqlite-events.ts";
import { hasAnySuspect, nextInLanes, refreshLane } from "./sqlite-lanes.ts";

// Waiting turns by the wall clock, leases by steady time.
const come = `
  SELECT ordinal, lane, namespace FROM turns WHERE head = 1 AND due_at > 0 AND status = 'waiting' AND due_at <= ?1
  UNION ALL
  SELECT ordinal, lane, namespace FROM turns WHERE head = 1 AND due_at > 0 AND status = 'running' AND due_at <= ?2
    AND turn_id NOT IN (SELECT value FROM json_each(?3))`;

/** A resumed turn does not reuse the seqs of events that were shown but not stored under an earlier lease. */
const pastShown = `
  max(seq_from, coalesce((SELECT max(seq) FROM events WHERE events.turn_id = turns.turn_id), 0)) + ${seqStride}`;

const makeDue = `
  UPDATE turns SET due_at = 0, lease = NULL, seq_from = iif(status = 'running', ${pastShown}, seq_from)
  WHERE ordinal = ?`;

// Another worker may hold it by now.
const take = `
  UPDATE turns SET status = 'running', lease = ?2, due_at = ?3, woken = 0
  WHERE ordinal = ?1 AND head = 1 AND due_at = 0 
  RETURNING turn_id, lane, namespace, seq_from, crashes, suspect, late_crashes`;

const ranInCrash = `
  SELECT ordinal, suspect, late_crashes,
    (SELECT sum(type = 'tool_started') > sum(type = 'tool_finished') FROM events WHERE events.turn_id = turns.turn_id) AS in_call
  FROM turns
  WHERE head = 1 AND due_at > 0 AND status = 'running' AND lease IS NOT NULL`;

const blame = "UPDATE turns SET crashes = crashes + 1 WHERE ordinal = ?";
const countLate = "UPDATE turns SET late_crashes = late_crashes + 1 WHERE ordinal = ?";
const suspect = "UPDATE turns SET suspect = 1 WHERE ordinal = ?";
const clear = "UPDATE turns SET suspect = 0 WHERE turn_id = ? AND lease = ?";

const begin = `
  INSERT INTO life (id, state, after_crash, at_once) VALUES (1, 'started', ?1, ?2)
  ON CONFLICT (id) DO UPDATE SET state = 'started', after_crash = ?1, at_once = ?2`;
// A process that is stopping does not settle.
const settle = "UPDATE life SET state = 'settled' WHERE state = 'started'";
const leave = "UPDATE life SET state = 'stopping'";

const freeAll = `
  UPDATE turns INDEXED BY turns_unfinished
  SET seq_from = ${pastShown}, lease = NULL, due_at = iif(status = 'running', 0, due_at)
  WHERE status <> 'finished'`;

const free = `
  UPDATE turns SET lease = NULL, due_at = ?3, seq_from = ${pastShown}, crashes = crashes + ?4
  WHERE turn_id = ?1 AND lease = ?2 AND status = 'running' RETURNING lane, namespace`;

const extend = "UPDATE turns SET due_at = ? WHERE turn_id = ? AND lease = ? AND status = 'running'";

const countSuspects = "SELECT count(*) AS count FROM turns INDEXED BY turns_suspect WHERE suspect = 1";

const earliest = `
  SELECT (SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'waiting') - ?1 AS waiting,
    (SELECT min(due_at) FROM turns WHERE head = 1 AND due_at > 0 AND status = 'running') - ?2 AS running`;

/** Claims and leases: who works on which turn, and until when. */
export function createClaiming(connection: SqliteConnection, clock: StoreClock): Omit<TurnQueue, "accept"> {
  const makeComeDue = (now: number, steady: number, running: readonly string[]) => {
    for (const row of connection.all(come, now, steady, JSON.stringify(running))) {
      connection.run(makeDue, row.ordinal as number);
      refreshLane(connection, row.lane as string, row.namespace as string);
    }
  };
  return {
    async claim(lease, leaseMs, options = {}) {
      const { running = [] } = options;
      const [now, steady] = [clock.now(), clock.steady()];
      // Looks without the write lock first, so that an idle worker disturbs nobody.
      const isDue = connection.get(come, now, steady, JSON.stringify(running)) !== undefined;
      if (!isDue && nextInLanes(connection, options) === undefined) return undefined;
      return connection.transaction(() => {
        if (isDue) makeComeDue(now, steady, running);
        const ordinal = nextInLanes(connection, options);
        if (ordinal === undefined) return undefined;
        const row = connection.get(take, ordinal, lease, steady + leaseMs);
        if (row === undefined) return undefined;
        refreshLane(connection, row.lane as string, row.namespace as string);
        const turnId = row.turn_id as string;
        const stored = connection.all(selectEvents, turnId, -1);
        const events = stored.map((event) => toEvent(connection, turnId, event));
        return claimedTurnOf({ ...row, ordinal }, lease, events, row.suspect === 1, connection.path);
      });
    },

    reclaim: () => connection.transaction(() => takeOver(connection)),

    async settle() {
      await connection.write(() => connection.run(settle));
    },

    async leave() {
      await connection.write(() => connection.run(leave));
    },

    async clear(turnId, lease) {
      await connection.write(() => connection.run(clear, turnId, lease));
    },

    async release(turnId, lease, afterMs, failed = false) {
      const until = afterMs === 0 ? 0 : clock.steady() + afterMs;
      await connection.transaction(() => {
        const row = connection.get(free, turnId, lease, until, failed ? 1 : 0);
        if (row !== undefined) refreshLane(connection, row.lane as string, row.namespace as string);
      });
    },

    async renew(leases, leaseMs) {
      if (leases.length === 0) return [];
      const until = clock.steady() + leaseMs;
      const lost = await connection.transaction(() =>
        leases.filter((one) => connection.run(extend, until, one.turn_id, one.lease) === 0),
      );
      return lost.map(({ turn_id }) => turn_id);
    },

    async untilDue() {
      const due = Object.values(connection.get(earliest, clock.now(), clock.steady()) ?? {});
      const times = due.filter((ms) => typeof ms === "number");
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
    },
  };
}

function takeOver(connection: SqliteConnection): Takeover {
  const running = connection.all(ranInCrash);
  // The statement names the columns.
  const before = connection.get("SELECT state, after_crash AS crashes, at_once FROM life") as
    | LifeBefore
    | undefined;
  const crashed = before === undefined ? running.length > 0 : before.state !== "stopping";
  const { crashes, atOnce } = crashed
    ? findSuspects(connection, running, before)
    : { crashes: 0, atOnce: before?.at_once ?? 1 };
  connection.run(begin, crashes, atOnce);
  connection.run(freeAll);
  for (const row of connection.all("SELECT lane, namespace FROM lanes"))
    refreshLane(connection, row.lane as string, row.namespace as string);
  const suspects = Number(connection.get(countSuspects)?.count);
  return { crashed, interrupted: running.length, suspects };
}

/** Blames turns that ran during a crash, and makes suspects of them. */
function findSuspects(
  connection: SqliteConnection,
  running: readonly Row[],
  before: LifeBefore | undefined,
): ReturnType<typeof judgeCrash> {
  const turns = running.map((row) => ({
    ordinal: row.ordinal as number,
    suspect: row.suspect === 1,
    late_crashes: row.late_crashes as number,
    in_call: row.in_call === 1,
  }));
  const judged = judgeCrash(turns, before, hasAnySuspect(connection));
  for (const ordinal of judged.blamed) connection.run(blame, ordinal);
  for (const ordinal of judged.late) connection.run(countLate, ordinal);
  for (const ordinal of judged.suspects) connection.run(suspect, ordinal);
  return judged;
}
