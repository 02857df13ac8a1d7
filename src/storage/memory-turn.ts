import type { Inbound } from "../core/inbound.ts";
import type { TurnEvent, TurnEventOf } from "../core/turn-event.ts";
import type { Signal, ThreadRecord, TurnRecord } from "../core/turn-log.ts";
import { noUsage } from "../core/usage-total.ts";
import { titleOf } from "./line.ts";
import { SortedList } from "./sorted-list.ts";

/** A turn in memory. `due_at` and `woken` mean what they mean in turn-log-schema.ts. */
export interface MemoryTurn {
  ordinal: number;
  line: string;
  inbound: Inbound;
  record: TurnRecord;
  events: TurnEvent[];
  signals: Signal[];
  lease_owner: string | undefined;
  due_at: number;
  woken: { signal: boolean; message: boolean };
}

const byOrdinal = (a: MemoryTurn, b: MemoryTurn) => a.ordinal - b.ordinal;
const byTime = (a: MemoryTurn, b: MemoryTurn) => a.record.accepted_at - b.record.accepted_at;

/** Turns in the order they were accepted, and by time. */
export class TurnSet {
  readonly byOrdinal = new SortedList<MemoryTurn>(byOrdinal);
  readonly byTime = new SortedList<MemoryTurn>(byTime);
  add(turn: MemoryTurn): void {
    this.byOrdinal.add(turn);
    this.byTime.add(turn);
  }
}

/** A thread in memory. */
export interface MemoryThread {
  turns: SortedList<MemoryTurn>;
  root: string | undefined;
  record: ThreadRecord;
  unfinished: number;
  deletions: number;
}

/** A thread nothing was said in yet. */
export function emptyThread(thread: string): MemoryThread {
  const record = { thread, title: "", turns: 0, last_at: 0, busy: false };
  return { turns: new SortedList(byOrdinal), root: undefined, record, unfinished: 0, deletions: 0 };
}

/** Counts a new turn in its thread. */
export function joinThread(thread: MemoryThread, turn: MemoryTurn): void {
  const { record } = thread;
  const isRoot = thread.root === undefined && turn.inbound.kind === "message";
  if (isRoot) thread.root = turn.record.turn_id;
  if (isRoot || record.turns === 0) record.title = titleOf(turn.inbound.text);
  record.turns += 1;
  record.last_at = Math.max(record.last_at, turn.record.accepted_at);
  thread.unfinished += 1;
  thread.turns.add(turn);
}

/** A turn as it is accepted: entry 0 and nothing else. */
export function newTurn(
  inbound: Inbound,
  turnId: string,
  at: number,
  place: { ordinal: number; line: string },
) {
  const { namespace, thread, kind, author, text } = inbound;
  const said = { turn_id: turnId, namespace, thread, kind, author, text };
  const entry: TurnEvent = { type: "inbound", inbound, turn_id: turnId, seq: 0, at };
  const turn: MemoryTurn = {
    ...place,
    inbound,
    record: { ...said, status: "queued", accepted_at: at, ...noUsage },
    events: [entry],
    signals: [],
    lease_owner: undefined,
    due_at: 0,
    woken: { signal: false, message: false },
  };
  return turn;
}

/** Whether the place of any of these events is taken. */
export function isTaken(turn: MemoryTurn, events: readonly TurnEvent[]): boolean {
  const seqs = new Set(events.map((event) => event.seq));
  if (seqs.size < events.length) return true;
  const last = turn.events.at(-1)?.seq ?? -1;
  const isAppended = events.every((event) => event.seq > last);
  return !isAppended && turn.events.some((event) => seqs.has(event.seq));
}

/** Puts an event where its seq belongs: nearly always at the end. */
export function insertEvent(turn: MemoryTurn, event: TurnEvent): void {
  const after = turn.events.findLastIndex((other) => other.seq < event.seq);
  turn.events.splice(after + 1, 0, event);
}

/** The end of a turn whose message was taken into another turn. */
export function takenEvent(
  turn: MemoryTurn,
  into: string,
  at: number | undefined,
): TurnEventOf<"turn_finished"> {
  const stamp = {
    turn_id: turn.record.turn_id,
    seq: (turn.events.at(-1)?.seq ?? 0) + 1,
    at: at ?? turn.record.accepted_at,
  };
  return { type: "turn_finished", outcome: "completed", text: "", merged_into: into, ...stamp };
}
