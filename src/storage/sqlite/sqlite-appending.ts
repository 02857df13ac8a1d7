import type { TurnEvent, TurnEventOf } from "../../core/log/turn-event.ts";
import { LeaseLostError, type TurnWriting } from "../../core/log/turn-log.ts";
import { noUsage, plusUsage } from "../../core/log/usage.ts";
import { endOfTaken, wokenByMessage } from "../turns/turn-rows.ts";
import { dropOpenings, noteOpening } from "../turns/turn-statements.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvents, insertLeasedEvent } from "./sqlite-events.ts";
import { refreshLane } from "./sqlite-lanes.ts";

const holder = "SELECT line FROM turns WHERE turn_id = ? AND lease = ? AND status = 'running'";

const start = "UPDATE turns SET started_at = coalesce(started_at, ?) WHERE turn_id = ?";

const addUsage = `
  UPDATE turns SET input_tokens = input_tokens + ?, cached_tokens = cached_tokens + ?,
    cache_write_tokens = cache_write_tokens + ?, output_tokens = output_tokens + ?,
    cost_usd = cost_usd + ?, unpriced_tokens = unpriced_tokens + ?
  WHERE turn_id = ?`;

const wait = `
  UPDATE turns SET status = 'waiting', lease = NULL, suspect = 0, due_at = iif(woken = 0, ?, 0)
  WHERE turn_id = ? RETURNING lane, namespace`;

const finish = `
  UPDATE turns SET status = 'finished', head = 0, lease = NULL, suspect = 0,
    finished_at = ?, outcome = ?, answer = ?, merged_into = ?
  WHERE turn_id = ? RETURNING line, lane, namespace, thread`;

const promoteNext = `
  UPDATE turns SET head = 1
  WHERE ordinal = (SELECT min(ordinal) FROM turns WHERE line = ? AND status <> 'finished')`;

const countFinished = `
  UPDATE threads SET unfinished = unfinished - 1, last_at = max(last_at, ?) WHERE namespace = ? AND thread = ?`;

const queuedBehind = `
  SELECT accepted_at, max(seq_from, (SELECT max(seq) FROM events WHERE turn_id = ?1)) AS seq
  FROM turns WHERE turn_id = ?1 AND line = ?2 AND status = 'queued'`;

// A message woke the turn; if no message of its author is left in the line, nothing is pending any more.
const forgetMessages = `
  UPDATE turns SET woken = woken & ~${wokenByMessage}
  WHERE turn_id = ?1 AND NOT EXISTS (
    SELECT 1 FROM turns AS other
    WHERE other.line = turns.line AND other.status = 'queued' AND other.author_id = turns.author_id
      AND (SELECT json_extract(body, '$.inbound.cause') FROM events WHERE turn_id = other.turn_id AND seq = 0) IS NULL)`;

/** Writes of a worker; only the holder of the lease may make them. */
export function createAppending(connection: SqliteConnection): TurnWriting {
  const insertAll = (turnId: string, events: readonly TurnEvent[]) => {
    if (!insertEvents(connection, events)) throw new LeaseLostError(turnId);
    for (const event of events) applyEffect(connection, event);
  };
  return {
    async append(turnId, lease, events) {
      const [event] = events;
      if (event !== undefined && events.length === 1 && !hasEffect(event)) {
        const stored = await connection.write(() => insertLeasedEvent(connection, event, lease));
        if (stored === false) throw new LeaseLostError(turnId);
        if (stored) return;
      }
      await connection.transaction(() => {
        if (connection.get(holder, turnId, lease) === undefined) throw new LeaseLostError(turnId);
        insertAll(turnId, events);
      });
    },

    async absorb(turnId, lease, taken, events) {
      await connection.transaction(() => {
        const line = connection.get(holder, turnId, lease)?.line as string | undefined;
        if (line === undefined) throw new LeaseLostError(turnId);
        for (const id of taken) finishTaken(connection, { id, line, into: turnId, at: events.at(-1)?.at });
        connection.run(forgetMessages, turnId);
        insertAll(turnId, events);
      });
    },

    durable: () => connection.durable(),
  };
}

function finishTaken(
  connection: SqliteConnection,
  taken: { id: string; line: string; into: string; at: number | undefined },
): void {
  const row = connection.get(queuedBehind, taken.id, taken.line);
  if (row === undefined) throw new LeaseLostError(taken.into);
  const event = endOfTaken(row, taken.id, taken.into, taken.at);
  if (!insertEvents(connection, [event])) throw new LeaseLostError(taken.into);
  close(connection, event);
}

function hasEffect(event: TurnEvent): boolean {
  const { type } = event;
  return (
    type === "turn_started" ||
    type === "usage" ||
    type === "turn_waiting" ||
    type === "turn_finished" ||
    type === "transcript_opened"
  );
}

function applyEffect(connection: SqliteConnection, event: TurnEvent): void {
  switch (event.type) {
    case "turn_started":
      connection.run(start, event.at, event.turn_id);
      return;
    case "usage": {
      const used = plusUsage(noUsage, event);
      const input = [used.input_tokens, used.cached_tokens, used.cache_write_tokens];
      const others = [used.output_tokens, used.cost_usd ?? 0, used.unpriced_tokens];
      connection.run(addUsage, ...input, ...others, event.turn_id);
      return;
    }
    case "transcript_opened":
      if (event.because === "deleted") connection.run(dropOpenings, event.turn_id, event.seq);
      connection.run(noteOpening, event.turn_id);
      return;
    case "turn_waiting": {
      const row = connection.get(wait, event.until, event.turn_id);
      if (row !== undefined) refreshLane(connection, row.lane as string, row.namespace as string);
      return;
    }
    case "turn_finished":
      close(connection, event);
      return;
    default:
      return;
  }
}

function close(connection: SqliteConnection, event: TurnEventOf<"turn_finished">): void {
  const { at, outcome, text, merged_into = null, turn_id } = event;
  const row = connection.get(finish, at, outcome, text, merged_into, turn_id);
  if (row === undefined) return;
  if (connection.run(promoteNext, row.line as string) > 0)
    refreshLane(connection, row.lane as string, row.namespace as string);
  connection.run(countFinished, at, row.namespace as string, row.thread as string);
}
