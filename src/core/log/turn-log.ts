import type { Author, Inbound } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";
import type { TurnEvent, TurnOutcome, UsageTotal } from "./turn-event.ts";

export type TurnStatus = "queued" | "running" | "waiting" | "finished";

/** The head line of a turn, as listings and the API show it. Times are ms since the epoch. */
export interface TurnRecord extends UsageTotal {
  turn_id: string;
  namespace: string;
  thread: string;
  kind: Inbound["kind"];
  author: Author;
  text: string;
  status: TurnStatus;
  outcome?: TurnOutcome | undefined;
  answer?: string | undefined;
  merged_into?: string | undefined;
  accepted_at: number;
  started_at?: number | undefined;
  finished_at?: number | undefined;
}

/** A turn a worker has leased. `events` are all stored ones, entry 0 first. */
export interface ClaimedTurn {
  turn_id: string;
  /** The lease it was claimed under. */
  lease: string;
  inbound: Inbound;
  events: TurnEvent[];
  /** Position among all turns; orders a thread's history. */
  ordinal: number;
  /** The highest seq that a watcher may have seen of the turn, stored or not. Further events get higher ones. */
  last_seq: number;
  /** Crashes of the bot that this turn is the likely cause of. */
  crashes: number;
  /** Set while the turn is a suspect (see `reclaim`): after running for so long it is to be cleared, ms. */
  trial_ms?: number | undefined;
}

/** What a start finds of the process before it. */
export interface Takeover {
  /** Whether that process crashed. */
  crashed: boolean;
  /** Turns that ran when it ended. */
  interrupted: number;
  /** Turns that may be why the bot crashes again and again: they go on a few at a time. */
  suspects: number;
}

/**
 * What a turn queues with for a slot: messages, commands, and commands that stop something, which must not wait behind the
 * work they stop.
 */
export type Lane = "urgent" | "command" | "message";

/** The lane of a message or command. */
export function laneOf({ kind, urgent }: Inbound): Lane {
  return urgent ? "urgent" : kind;
}

/** How a turn is chosen. */
export interface ClaimOptions {
  /** Lanes to look in, in this order; all unless given. */
  lanes?: readonly Lane[];
  /**
   * The time that leases count in, ms; `now` unless given. Unlike `now` it must not jump with the wall clock. Leases store it, so it has
   * to be the same for everybody who claims: one process sees to that by itself (see `Clock.steady`).
   */
  steady?: number;
  /** Most turns of one namespace that hold a lease in a lane at the same time; no limit unless given. */
  max_per_namespace?: Partial<Record<Lane, number>>;
  /** Turns that run in this process: never answered, whatever their lease says. */
  running?: readonly string[];
}

/**
 * The difference between the seqs of two claims of a turn where events of the first may have been shown that were not
 * stored. A claim shows fewer unstored events than this, so that no seq is ever used twice.
 */
export const seqStride = 1_000_000;

/** What reaches a turn from outside. Signals never queue behind the turn they are for. */
export type Signal =
  | { type: "stop"; by: string }
  | { type: "answer"; question_id: string; text: string; by: string }
  /** `name` is what people call who decided. `always`: calls like this one are not asked about here any more; `never`: they are refused. `for_turn`: its hosts may be reached in the whole turn. */
  | {
      type: "approval";
      approval_id: string;
      approved: boolean;
      by: string;
      name?: string;
      always?: true;
      never?: true;
      for_turn?: true;
    };

export interface ThreadRecord {
  thread: string;
  /** The beginning of the thread's first message. */
  title: string;
  turns: number;
  last_at: number;
  /** Whether a turn of the thread is not finished. */
  busy: boolean;
}

/** How much work there is. */
export interface Backlog {
  queued: number;
  running: number;
  waiting: number;
  /** How many of the running ones are suspects that wait for others of them (see `TurnQueue.reclaim`). Absent when none does. */
  held?: number | undefined;
  /** Absent when nothing waits for a worker. */
  oldest_at?: number | undefined;
}

export interface TurnFilter {
  namespace?: string | undefined;
  thread?: string | undefined;
  status?: TurnStatus | undefined;
  /** Only turns of who has this id, on whatever platform. */
  author?: string | undefined;
  /** Only turns accepted before this one (for paging). */
  before?: string | undefined;
  /** At most this many, newest first; 50 unless told. */
  limit?: number | undefined;
}

/** The worker's lease is gone: another claim has the turn, or it is finished. Stop without a word. */
export class LeaseLostError extends Error {
  readonly code = "lease_lost";
  constructor(turnId: string) {
    super(`The lease on turn ${turnId} is lost`);
  }
}

/** Who runs which turn, and when. One write of `accept` is both the deduplication and the queue entry. */
export interface TurnQueue {
  /**
   * Stores entry 0 (seq 0, type `inbound`) under the inbound's key. A key seen before changes nothing and answers the
   * turn it made then; `differs` when that was another text, author or place (a text that was forgotten differs from none).
   * A message of the author of a waiting turn in the same thread wakes that turn.
   */
  accept(
    inbound: Inbound,
    turnId: string,
    at: number,
  ): Promise<{ turn_id: string; accepted: boolean; differs?: true }>;
  /**
   * Leases the next turn that can run: queued, or running with an expired lease, or waiting with its time come, and
   * the first unfinished of its line. Within a lane the namespace with the fewest running turns comes first, the oldest
   * turn among equals. `lease` names this claim; no other claim may ever have the same.
   *
   * Suspects (see `reclaim`) come first in their lane, the least blamed one first, and only so many run at once.
   */
  claim(
    lease: string,
    now: number,
    leaseMs: number,
    options?: ClaimOptions,
  ): Promise<ClaimedTurn | undefined>;
  /**
   * Makes every leased turn claimable at once. Only for a process that knows that no other works on this log, before it claims:
   * whoever held a lease is gone. That was a crash unless it had said that it stops (`leave`).
   *
   * After one crash all turns go on like any other. A crash that follows one before the bot has settled (`settle`), or while there are
   * suspects, makes suspects of the turns that ran in it; so do three crashes of a settled bot of a turn that ran in all of them. Half as
   * many suspects run at once as ran in the latest crash, beside all other turns, and commands wait for no message. The crash counts
   * against the suspects that ran, else against the turn that ran alone, else against none: so the turn that brings the bot down has
   * soon more crashes to its name than any other. A suspect that ends, waits or is cleared is one no more.
   */
  reclaim(): Promise<Takeover>;
  /** The process has run for a while since `reclaim`: a crash from now on does not belong to the one before. */
  settle(): Promise<void>;
  /** The process stops by itself: however it ends from now on is no crash, and no turn is blamed. */
  leave(): Promise<void>;
  /** The suspect has run for its `trial_ms`: it no longer holds others up. Nothing happens when the lease is lost. */
  clear(turnId: string, lease: string): Promise<void>;
  /**
   * Gives a lease back: the turn is claimable from `until` on (steady ms; 0: at once). With `failed` the run counts as a crash
   * of the turn. Nothing happens when the lease is lost.
   */
  release(turnId: string, lease: string, until: number, failed?: boolean): Promise<void>;
  /** Extends leases that are still held; answers the ids of the turns whose lease is lost. `steady` as in `claim`. */
  renew(
    leases: readonly { turn_id: string; lease: string }[],
    steady: number,
    leaseMs: number,
  ): Promise<string[]>;
  /** Ms until the next waiting turn (by `now`) or expiring lease (by `steady`, `now` unless given) comes due, if any; 0 at once. */
  untilDue(now: number, steady?: number): Promise<number | undefined>;
}

/** What the worker that holds the lease of a turn writes. */
export interface TurnWriting {
  /**
   * Appends events in order. `turn_finished` closes the turn; `turn_waiting` frees it until its time, an answer or a
   * message of its author; `usage` adds to the turn's totals. A `transcript_opened` because something was deleted takes the place of
   * the turn's earlier ones.
   * @throws LeaseLostError when the lease is lost, or a seq is taken.
   */
  append(turnId: string, lease: string, events: readonly TurnEvent[]): Promise<void>;
  /**
   * In one write: appends `events` to the turn and finishes the queued turns `taken` with
   * `turn_finished {outcome: completed, text: "", merged_into}`. @throws LeaseLostError
   */
  absorb(
    turnId: string,
    lease: string,
    taken: readonly string[],
    events: readonly TurnEvent[],
  ): Promise<void>;
  /** Resolves when everything stored before the call survives power loss. Callers at the same time share one sync. */
  durable(): Promise<void>;
}

/** What reaches a turn while it runs or waits. */
export interface TurnSignals {
  /** Stores a signal and wakes the turn if it waits. False when the turn is unknown or finished. */
  signal(turnId: string, signal: Signal, at: number): Promise<boolean>;
  /** All signals of a turn, in the order they came. */
  signals(turnId: string): Promise<Signal[]>;
  /** Queued messages that the turn's author wrote and that stand behind it in its line. What a schedule or trigger began is none. */
  steering(turnId: string): Promise<{ turn_id: string; inbound: Inbound }[]>;
}

/** The turns there are and what they say. */
export interface TurnReading {
  get(turnId: string): Promise<TurnRecord | undefined>;
  list(filter: TurnFilter): Promise<TurnRecord[]>;
  /** The id of the turn accepted under this key. */
  find(key: string): Promise<string | undefined>;
  /** The stored events with a seq above `afterSeq` (-1: all), in order. Empty for an unknown turn. */
  read(turnId: string, afterSeq?: number): Promise<TurnEvent[]>;
  /** Tokens and cost of turns accepted at or after `since`. */
  usage(filter: { namespace?: string; user?: string; since: number }): Promise<UsageTotal>;
}

/** The threads there are, and the turns before one in its thread. */
export interface ThreadReading {
  /** Ids of the thread's finished message turns with an ordinal below `before`, newest first. */
  finished(place: Place, before: number, limit: number): Promise<{ turn_id: string; ordinal: number }[]>;
  /** How many turns of the thread have been forgotten: what was made of them before must not be used any more. */
  deletions(place: Place): Promise<number>;
  /** Threads of a namespace, the latest active first. */
  threads(namespace: string, limit?: number): Promise<ThreadRecord[]>;
  /** All threads of a namespace, by name. Read in pages: memory does not grow with their number. */
  everyThread(namespace: string): AsyncIterable<ThreadRecord>;
  /** Namespaces in which something was said, of one platform if `platform` is given. */
  namespaces(platform?: string): Promise<string[]>;
}

/** Whether the log works, and how much waits in it. */
export interface TurnHealth {
  /** Unfinished turns by status, and since when the oldest that any worker could take now waits (ms since the epoch). */
  backlog(now: number): Promise<Backlog>;
  /** Writes something, as every turn does, to find out whether the log can be written. @throws when it cannot */
  probe(at: number): Promise<void>;
}

/**
 * The durable log and queue of turns.
 *
 * Lines: messages of one thread form a line and run one after another, in the order they were accepted. A command is
 * a line of its own. Every method is atomic; a rejected promise (disk full, database locked) means nothing was stored,
 * or, where the disk failed to sync, that a power loss may undo it.
 *
 * What is stored survives the death of the process. `accept` and `signal` resolve when it also survives power loss; the rest
 * does after `durable`.
 */
export interface TurnLog
  extends TurnQueue,
    TurnWriting,
    TurnSignals,
    TurnReading,
    ThreadReading,
    TurnHealth,
    TurnRemoval {
  close(): Promise<void>;
}

/** Which details go, and what goes with them. */
export interface DetailsOptions {
  /** Only details that are old by this time, as `oldDetails` finds them, ms since the epoch. */
  idle_since?: number | undefined;
  /**
   * Somebody's words in the details must not be used any more: what later turns of the threads carried over goes too, and so does what
   * entry 0 tells of the event that began the turn (`Cause`); `deletions` rises.
   */
  forgets?: true | undefined;
}

/** Where the next page of `oldDetails` begins. */
interface OldDetailsPosition {
  finished_at: number;
  ordinal: number;
}

/** A thread in which nothing has happened for a while. */
export interface IdleThread {
  thread: string;
  turns: number;
  /** Ms since the epoch. */
  last_at: number;
}

/**
 * What a turn log deletes for good: what somebody wants forgotten, and what is old. Times are ms since the epoch. Unfinished turns, and threads with one, are never
 * touched. Nothing here takes the event loop for long: lists come in pages, and deletions in several writes, each of which is
 * complete by itself. Deleted rows are overwritten in the database at once, and in its write-ahead log by `scrub`; copies that the database made
 * when it moved rows between pages go with `scrub({ rebuild: true })` only.
 */
export interface TurnRemoval {
  /**
   * Takes the texts of a finished turn away for good: of its events only entry 0 (with an empty text and no files) and a
   * `turn_finished` with `forgotten_by`, behind all events there were, remain. Its signals go, what later turns of its thread carried
   * over from it too (`transcript_opened`, `history_compacted`), and a thread named after it gets another title. The record stays, without text and answer. False when the turn
   * is unknown or not finished; forgetting again changes nothing.
   */
  forget(turnId: string, by: string, at: number): Promise<boolean>;
  /** Puts somebody else in the place of a person, by id, in these finished turns: as their author, and as who deleted them. */
  disown(turnIds: readonly string[], person: string, author: Pick<Author, "id" | "name">): Promise<void>;
  /**
   * Deletes the run details of finished turns: their signals, and all events but `withoutDetails`. A `details_removed` takes the
   * place of the first of them. Turns that are unknown or unfinished stay as they are. A turn that a crash leaves half done has
   * its `details_removed`; a second call finishes it.
   */
  removeDetails(turnIds: readonly string[], at: number, options?: DetailsOptions): Promise<void>;
  /**
   * A page of the turns whose details are old and not needed for a transcript: the turn finished before `before`, and its thread
   * has been idle since then, or a later turn of it has opened a transcript. The oldest first. A page may have no turns although there
   * is a next one.
   */
  oldDetails(
    before: number,
    after?: OldDetailsPosition,
  ): Promise<{ turn_ids: string[]; next?: OldDetailsPosition | undefined }>;
  /** A page of the threads of a namespace whose last turn ended before `before`, the oldest first, behind `after`. */
  idleThreads(namespace: string, before: number, after?: IdleThread): Promise<IdleThread[]>;
  /**
   * Deletes the oldest turns of a thread, as many as one call may, if it is still idle since `before`; with the last one the thread
   * goes, and with its last thread the namespace. Answers the deleted turns; none when there is nothing to delete. A key of theirs
   * may be accepted again.
   */
  removeTurns(place: Place, before: number): Promise<string[]>;
  /**
   * Overwrites in the write-ahead log what was deleted so far. Copies of a deleted row that an earlier version left in free space are
   * found only with `rebuild`: the files are written again, which takes the disk as much room once more, and writes wait for it.
   * @throws when the files cannot be written again
   */
  scrub(options?: { rebuild?: true }): Promise<void>;
}
