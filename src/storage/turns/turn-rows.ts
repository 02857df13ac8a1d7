import type { TurnEvent, TurnOutcome } from "../../core/log/turn-event.ts";
import type {
  ClaimedTurn,
  ThreadRecord,
  TurnHealth,
  TurnQueue,
  TurnRecord,
  TurnStatus,
} from "../../core/log/turn-log.ts";
import type { UsageTotal } from "../../core/log/usage.ts";
import type { Author, Inbound } from "../../core/values/inbound.ts";
import { lostEntryError } from "../storage-error.ts";
import type { Row } from "../tables.ts";
import { trialMs } from "./turn-blame.ts";
import type { TurnTables } from "./turn-tables.ts";

/** The columns that `turnRecordOf` reads. */
export const recordColumns = `turn_id, namespace, thread, kind, author, text, status, outcome, answer, merged_into,
  accepted_at, started_at, finished_at,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, cost_usd, unpriced_tokens`;

/** The turn of a row with `recordColumns`. */
export function turnRecordOf(row: Row, { parse, textOf }: Pick<TurnTables, "parse" | "textOf">): TurnRecord {
  const optional = <T>(value: unknown) => (value === null ? undefined : (value as T));
  return {
    turn_id: row.turn_id as string,
    namespace: row.namespace as string,
    thread: row.thread as string,
    kind: row.kind as Inbound["kind"],
    author: parse(row.author) as Author,
    text: textOf(row.text) as string,
    status: row.status as TurnStatus,
    outcome: optional<TurnOutcome>(row.outcome),
    answer: optional<string>(textOf(row.answer)),
    merged_into: optional<string>(row.merged_into),
    accepted_at: row.accepted_at as number,
    started_at: optional<number>(row.started_at),
    finished_at: optional<number>(row.finished_at),
    ...usageOf(row),
  };
}

/** What a turn used, or many turns together. */
export function usageOf(row: Row): UsageTotal {
  const input_tokens = row.input_tokens as number;
  const output_tokens = row.output_tokens as number;
  const unpriced_tokens = row.unpriced_tokens as number;
  return {
    input_tokens,
    cached_tokens: row.cached_tokens as number,
    cache_write_tokens: row.cache_write_tokens as number,
    output_tokens,
    ...(input_tokens + output_tokens > unpriced_tokens ? { cost_usd: row.cost_usd as number } : {}),
    unpriced_tokens,
  };
}

/** A thread from a row of its table. */
export function threadOf(row: Row): ThreadRecord {
  const { unfinished, ...record } = row;
  return { ...record, busy: Number(unfinished) > 0 } as ThreadRecord;
}

/**
 * The answer to a message whose key is known (store-1), by the row of the turn that the key created. A missing text was deleted, maybe
 * with its author, or the message had files only.
 */
export function knownTurnOf(row: Row, inbound: Inbound): Awaited<ReturnType<TurnQueue["accept"]>> {
  const isSame =
    row.namespace === inbound.namespace &&
    row.thread === inbound.thread &&
    ((row.author_id === inbound.author.id && row.text === inbound.text) || row.text === "");
  return { turn_id: row.turn_id as string, accepted: false, ...(isSame ? {} : { differs: true }) };
}

/** A turn that was just claimed. @throws StorageError if its entry 0 is missing; `place` names the database */
export function claimedTurnOf(
  row: Row,
  lease: string,
  events: TurnEvent[],
  isSuspect: boolean,
  place: string,
): ClaimedTurn {
  const turn_id = row.turn_id as string;
  const inbound = inboundOf(events[0]);
  if (inbound === undefined) throw lostEntryError(place, turn_id);
  return {
    turn_id,
    lease,
    inbound,
    events,
    ordinal: row.ordinal as number,
    last_seq: Math.max(row.seq_from as number, events.at(-1)?.seq ?? 0),
    crashes: row.crashes as number,
    ...(isSuspect ? { trial_ms: trialMs(row.late_crashes as number) } : {}),
  };
}

/** The backlog from numbers of turns by status, of held turns, and the time of the oldest one. */
export function backlogOf(
  counts: readonly Row[],
  held: Row | undefined,
  oldest: Row | undefined,
): Awaited<ReturnType<TurnHealth["backlog"]>> {
  const states = { queued: 0, running: 0, waiting: 0 };
  for (const { status, turns } of counts) states[status as keyof typeof states] = Number(turns);
  const suspects = Number(held?.turns);
  return {
    ...states,
    ...(suspects === 0 ? {} : { held: suspects }),
    ...(typeof oldest?.at === "number" ? { oldest_at: oldest.at } : {}),
  };
}

/** The end of a turn whose message another turn took, by its row with `seq` and `accepted_at`. */
export function endOfTaken(row: Row, turn_id: string, into: string, at = Number(row.accepted_at)) {
  const seq = Number(row.seq) + 1;
  const end = { type: "turn_finished", outcome: "completed", text: "", merged_into: into } as const;
  return { ...end, turn_id, seq, at };
}

/** The inbound of an entry 0. */
export function inboundOf(entry: TurnEvent | undefined): Inbound | undefined {
  return entry?.type === "inbound" ? entry.inbound : undefined;
}

/** An event as JSON without the members that are columns of their own: its turn, seq, time and type. */
export function eventBodyOf(event: TurnEvent): Record<string, unknown> {
  // Faster than a copy of the rest; members without a value are not written.
  return { ...event, turn_id: undefined, seq: undefined, at: undefined, type: undefined };
}

/** In the column `woken`: a signal arrived. */
export const wokenBySignal = 1;
/** In the column `woken`: a message of the turn's author arrived. */
export const wokenByMessage = 2;
