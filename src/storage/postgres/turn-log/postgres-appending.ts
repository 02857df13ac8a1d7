import { sharedRun } from "../../../base/shared-run.ts";
import type { TurnEvent, TurnEventOf } from "../../../core/log/turn-event.ts";
import { LeaseLostError, type TurnWriting } from "../../../core/log/turn-log.ts";
import { noUsage, plusUsage } from "../../../core/log/usage.ts";
import { endOfTaken, wokenByMessage } from "../../turns/turn-rows.ts";
import { dropOpenings, noteOpening } from "../../turns/turn-statements.ts";
import type { PostgresSession } from "../postgres-connection.ts";
import { bodyText, insertEvent, isTaken } from "./postgres-events.ts";
import { commitSoon, lockLineOfTurn, type TurnStore, tellStored } from "./turn-store.ts";

/** Stores events if `held`, a statement that locks the row of the turn, finds the lease. */
const storeIf = (held: string) => `
  WITH held AS (${held}),
  stored AS (
    INSERT INTO events (turn_id, seq, at, type, body)
    SELECT held.turn_id, event.* FROM held, unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[]) AS event)
  SELECT turn_id, ${commitSoon}, ${tellStored("($3::bigint[])[1]", "($3::bigint[])[cardinality($3::bigint[])]")} FROM held`;

const isHeld = "turn_id = $1 AND lease = $2 AND status = 'running'";

const store = storeIf(
  `SELECT turn_id, namespace, thread, worker FROM turns WHERE ${isHeld} FOR NO KEY UPDATE`,
);

const storeAndCount = storeIf(`
  UPDATE turns SET started_at = coalesce(started_at, $7::bigint), input_tokens = input_tokens + $8::bigint,
    cached_tokens = cached_tokens + $9::bigint, cache_write_tokens = cache_write_tokens + $10::bigint,
    output_tokens = output_tokens + $11::bigint, cost_usd = cost_usd + $12::double precision,
    unpriced_tokens = unpriced_tokens + $13::bigint
  WHERE ${isHeld} RETURNING turn_id, namespace, thread, worker`);

// A call that has begun and not ended may go on in the process that has it, which therefore keeps the turn as long as it renews its lease.
const wait = `
  WITH calls AS (
    SELECT count(*) FILTER (WHERE type = 'tool_started') > count(*) FILTER (WHERE type = 'tool_finished') AS go_on
    FROM events WHERE turn_id = $1),
  waiting AS (
    UPDATE turns SET status = 'waiting', lease = CASE WHEN go_on THEN lease END, worker = CASE WHEN go_on THEN worker END,
      suspect = false, ready = woken <> 0, due_at = ceil($2::double precision)
    FROM calls WHERE turn_id = $1 RETURNING ready)
  SELECT pg_notify($3, '') FROM waiting WHERE ready`;

// All of it sees the rows as they were before, so the turn that ends is left out where the first of its line is looked for.
const finish = `
  WITH ended AS (
    UPDATE turns SET status = 'finished', ready = false, lease = NULL, worker = NULL, suspect = false,
      finished_at = $2, outcome = $3, answer = $4, merged_into = $5
    WHERE turn_id = $1 RETURNING ordinal, line, namespace, thread),
  next AS (
    UPDATE turns SET ready = true WHERE status = 'queued' AND ordinal = (
      SELECT min(other.ordinal) FROM turns AS other JOIN ended USING (line)
      WHERE other.status <> 'finished' AND other.ordinal <> ended.ordinal) RETURNING turn_id),
  counted AS (
    UPDATE threads SET unfinished = unfinished - 1, last_at = greatest(last_at, $2) FROM ended
    WHERE threads.namespace = ended.namespace AND threads.thread = ended.thread)
  SELECT pg_notify($6, '') FROM next`;

const holder = `SELECT line FROM turns WHERE ${isHeld} FOR NO KEY UPDATE`;

const queuedBehind = `
  SELECT accepted_at, greatest(seq_from, (SELECT max(seq) FROM events WHERE turn_id = $1)) AS seq
  FROM turns WHERE turn_id = $1 AND line = $2 AND status = 'queued' FOR NO KEY UPDATE`;

// A message woke the turn; if no message of its author is left in the line, nothing is pending any more.
const forgetMessages = `
  UPDATE turns SET woken = woken & ~${wokenByMessage}
  WHERE turn_id = $1 AND NOT EXISTS (
    SELECT 1 FROM turns AS other
    WHERE other.line = turns.line AND other.status = 'queued' AND other.said AND other.author_id = turns.author_id)`;

// A commit that waits for the disk takes all earlier ones with it. An empty one would not wait.
const sync = "SELECT pg_logical_emit_message(true, 'knack', '')";

/** Writes of a worker. Each checks the lease in its transaction and keeps the row locked, so that nobody takes the turn meanwhile. */
export function createAppending(turns: TurnStore): TurnWriting {
  return {
    async append(turnId, lease, events) {
      if (!events.some(changesMore)) return storeEvents(turns, turnId, lease, events);
      await turns.transaction(async (session) => {
        if (events.some(({ type }) => type === "turn_finished")) await session.run(lockLineOfTurn, turnId);
        await storeAll(session, turns, { turnId, lease, events });
      });
    },

    async absorb(turnId, lease, taken, events) {
      await turns.transaction(async (session) => {
        await session.run(lockLineOfTurn, turnId);
        const line = await lockHeld(session, turnId, lease);
        for (const id of taken)
          await finishTaken(session, turns, { id, line, into: turnId, at: events.at(-1)?.at });
        await session.run(forgetMessages, turnId);
        await storeAll(session, turns, { turnId, lease, events });
      });
    },

    durable: sharedRun(async () => void (await turns.run(sync))),
  };
}

/** Locks the row of a turn that the lease holds; returns its line. */
async function lockHeld(session: PostgresSession, turnId: string, lease: string): Promise<string> {
  const row = await session.get(holder, turnId, lease);
  if (row === undefined) throw new LeaseLostError(turnId);
  return String(row.line);
}

interface Append {
  turnId: string;
  lease: string;
  events: readonly TurnEvent[];
}

/** Whether an event changes more than its turn's totals. */
function changesMore({ type }: TurnEvent): boolean {
  return type === "turn_waiting" || type === "turn_finished" || type === "transcript_opened";
}

async function storeAll(session: PostgresSession, turns: TurnStore, { turnId, lease, events }: Append) {
  const openings = events.filter((event) => event.type === "transcript_opened");
  if (openings.length > 0) {
    await lockHeld(session, turnId, lease);
    // Before the events: whoever deletes in the thread locks its row, too, and then sees them, or they are not stored yet.
    await session.run(noteOpening, turnId);
  }
  await storeEvents(session, turnId, lease, events);
  const replaced = openings.findLast(({ because }) => because === "deleted");
  if (replaced !== undefined) await session.run(dropOpenings, turnId, replaced.seq);
  for (const event of events) {
    if (event.type === "turn_waiting") await session.run(wait, turnId, event.until, turns.channels.work);
    if (event.type === "turn_finished") await close(session, turns, event);
  }
}

async function storeEvents(
  session: PostgresSession,
  turnId: string,
  lease: string,
  events: readonly TurnEvent[],
): Promise<void> {
  const rows = [
    events.map(({ seq }) => seq),
    events.map(({ at }) => at),
    events.map(({ type }) => type),
    events.map(bodyText),
  ];
  const totals = totalsOf(events);
  try {
    const row =
      totals === undefined
        ? await session.get(store, turnId, lease, ...rows)
        : await session.get(storeAndCount, turnId, lease, ...rows, ...totals);
    if (row === undefined) throw new LeaseLostError(turnId);
  } catch (error) {
    if (isTaken(error)) throw new LeaseLostError(turnId);
    throw error;
  }
}

/** When the turn started, and what model calls used; undefined if the events say neither. */
function totalsOf(events: readonly TurnEvent[]): (number | null)[] | undefined {
  const start = events.find(({ type }) => type === "turn_started");
  const calls = events.filter((event) => event.type === "usage");
  if (start === undefined && calls.length === 0) return undefined;
  const used = calls.reduce(plusUsage, noUsage);
  return [
    start?.at ?? null,
    used.input_tokens,
    used.cached_tokens,
    used.cache_write_tokens,
    used.output_tokens,
    used.cost_usd ?? 0,
    used.unpriced_tokens,
  ];
}

async function finishTaken(
  session: PostgresSession,
  turns: TurnStore,
  taken: { id: string; line: string; into: string; at: number | undefined },
): Promise<void> {
  const row = await session.get(queuedBehind, taken.id, taken.line);
  if (row === undefined) throw new LeaseLostError(taken.into);
  const event = endOfTaken(row, taken.id, taken.into, taken.at);
  await session.run(...insertEvent(event));
  await close(session, turns, event);
}

async function close(session: PostgresSession, turns: TurnStore, event: TurnEventOf<"turn_finished">) {
  const { at, outcome, text, merged_into = null, turn_id } = event;
  const values = [turn_id, at, outcome, JSON.stringify(text), merged_into, turns.channels.work];
  await session.run(finish, ...values);
}
