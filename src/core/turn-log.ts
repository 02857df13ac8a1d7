import type { Author, Inbound } from "./inbound.ts";
import type { Place } from "./place.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import type { UsageTotal } from "./usage-total.ts";

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
  inbound: Inbound;
  events: TurnEvent[];
  /** Position among all turns; orders a thread's history. */
  ordinal: number;
}

/** What reaches a turn from outside. Signals never queue behind the turn they are for. */
export type Signal =
  | { type: "stop"; by: string }
  | { type: "answer"; question_id: string; text: string; by: string }
  /** `name` is what people call who decided. `always`: calls like this one are not asked about here any more. `for_turn`: its hosts may be reached in the whole turn. */
  | {
      type: "approval";
      approval_id: string;
      approved: boolean;
      by: string;
      name?: string;
      always?: true;
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
  /** Absent when nothing waits for a worker. */
  oldest_at?: number | undefined;
}

export interface TurnFilter {
  namespace?: string | undefined;
  thread?: string | undefined;
  status?: TurnStatus | undefined;
  /** Only turns accepted before this one (for paging). */
  before?: string | undefined;
  /** At most this many, newest first; 50 unless told. */
  limit?: number | undefined;
}

/** The worker's lease is gone: another worker has the turn, or it is finished. Stop without a word. */
export class LeaseLostError extends Error {
  readonly code = "lease_lost";
  constructor(turnId: string) {
    super(`The lease on turn ${turnId} is lost`);
  }
}

/**
 * The durable log and queue of turns. One write of `accept` is both the deduplication and the queue entry.
 *
 * Lines: messages of one thread form a line and run one after another, in the order they were accepted. A command is
 * a line of its own. Every method is atomic; a rejected promise (disk full, database locked) means nothing was stored.
 */
export interface TurnLog {
  /**
   * Stores entry 0 (seq 0, type `inbound`) under the inbound's key. A key seen before changes nothing and answers the
   * turn it made then. A message of the author of a waiting turn in the same thread wakes that turn.
   */
  accept(inbound: Inbound, turnId: string, at: number): Promise<{ turn_id: string; accepted: boolean }>;
  /**
   * Leases the next turn that can run: queued, or running with an expired lease, or waiting with its time come, and
   * the first unfinished of its line. Oldest first. `kinds` narrows to commands or messages.
   */
  claim(
    owner: string,
    now: number,
    leaseMs: number,
    kinds?: readonly Inbound["kind"][],
  ): Promise<ClaimedTurn | undefined>;
  /**
   * Makes every leased turn claimable at once. Only for a process that knows that no other works on this log, when it starts.
   */
  reclaim(): Promise<void>;
  /** Extends the leases of turns this owner still holds; answers the ids it no longer holds. */
  renew(owner: string, turnIds: readonly string[], now: number, leaseMs: number): Promise<string[]>;
  /**
   * Appends events in order. `turn_finished` closes the turn; `turn_waiting` frees it until its time, an answer or a
   * message of its author; `usage` adds to the turn's totals. A `transcript_opened` because something was deleted takes the place of
   * the turn's earlier ones.
   * @throws LeaseLostError when the owner does not hold the turn, or a seq is taken.
   */
  append(turnId: string, owner: string, events: readonly TurnEvent[]): Promise<void>;
  /** The stored events with a seq above `afterSeq` (-1: all), in order. Empty for an unknown turn. */
  read(turnId: string, afterSeq?: number): Promise<TurnEvent[]>;
  get(turnId: string): Promise<TurnRecord | undefined>;
  list(filter: TurnFilter): Promise<TurnRecord[]>;
  /** The id of the turn accepted under this key. */
  find(key: string): Promise<string | undefined>;
  /**
   * Takes the texts of a finished turn away for good: of its events only entry 0 (with an empty text and no files) and a
   * `turn_finished` with `forgotten_by`, behind all events there were, remain. Its signals go, what later turns of its thread carried
   * over from it too (`transcript_opened`, `history_compacted`), and a thread named after it gets another title. The record stays, without text and answer. False when the turn
   * is unknown or not finished; forgetting again changes nothing.
   */
  forget(turnId: string, by: string, at: number): Promise<boolean>;

  /** Stores a signal and wakes the turn if it waits. False when the turn is unknown or finished. */
  signal(turnId: string, signal: Signal, at: number): Promise<boolean>;
  /** All signals of a turn, in the order they came. */
  signals(turnId: string): Promise<Signal[]>;
  /** Queued messages by the turn's author that stand behind it in its line. */
  steering(turnId: string): Promise<{ turn_id: string; inbound: Inbound }[]>;
  /**
   * In one write: appends `events` to the turn and finishes the queued turns `taken` with
   * `turn_finished {outcome: completed, text: "", merged_into}`. @throws LeaseLostError
   */
  absorb(
    turnId: string,
    owner: string,
    taken: readonly string[],
    events: readonly TurnEvent[],
  ): Promise<void>;

  /** Ids of the thread's finished message turns with an ordinal below `before`, newest first. */
  finished(place: Place, before: number, limit: number): Promise<{ turn_id: string; ordinal: number }[]>;
  /** How many turns of the thread have been forgotten: what was made of them before must not be used any more. */
  deletions(place: Place): Promise<number>;
  /** Threads of a namespace, the latest active first. */
  threads(namespace: string, limit?: number): Promise<ThreadRecord[]>;
  /** Namespaces in which something was said, of one platform if `platform` is given. */
  namespaces(platform?: string): Promise<string[]>;
  /** Tokens and cost of turns accepted at or after `since`. */
  usage(filter: { namespace?: string; user?: string; since: number }): Promise<UsageTotal>;
  /** The number of unfinished turns. */
  pending(): Promise<number>;
  /** Unfinished turns by status, and since when the oldest that any worker could take now waits (ms since the epoch). */
  backlog(now: number): Promise<Backlog>;
  /** Writes something, as every turn does, to find out whether the log can be written. @throws when it cannot */
  probe(at: number): Promise<void>;
  /** When the next waiting turn or expiring lease comes due (ms since the epoch), if any. */
  nextDue(): Promise<number | undefined>;
  close(): Promise<void>;
}
