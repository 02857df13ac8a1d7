import type { Author, Inbound } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";
import type { VerdictFields } from "../values/verdict.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import type { UsageTotal } from "./usage.ts";

export type TurnStatus = "queued" | "running" | "waiting" | "finished";

/** Summary of a turn for listings and the API. Times are ms since the epoch. */
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

/** A turn leased by a worker. `events` are all stored events, entry 0 first. */
export interface ClaimedTurn {
  turn_id: string;
  /** The lease of this claim. */
  lease: string;
  inbound: Inbound;
  events: TurnEvent[];
  /** Position among all turns; orders a thread's history. */
  ordinal: number;
  /** The highest seq that a watcher may have seen for the turn, stored or not. Later events get higher ones. */
  last_seq: number;
  /** Number of crashes of the bot that this turn probably caused. */
  crashes: number;
  /** Set while the turn is a suspect (see `reclaim`): the run time after which it is cleared, ms. */
  trial_ms?: number | undefined;
}

/** What a starting process learns about the one before it. */
export interface Takeover {
  /** Whether that process crashed. */
  crashed: boolean;
  /** Number of turns that were running when it ended. */
  interrupted: number;
  /** Number of turns that may be the cause of repeated crashes; they resume a few at a time. */
  suspects: number;
}

/**
 * The kinds of slots that turns queue for: messages, commands, and commands that stop something, which must not wait behind the work they
 * stop.
 */
export type Lane = "urgent" | "command" | "message";

/** The lane of a message or command. */
export function laneOf({ kind, urgent }: Inbound): Lane {
  return urgent ? "urgent" : kind;
}

/** How the next turn is chosen. */
export interface ClaimOptions {
  /** Lanes to look in, in this order; all by default. */
  lanes?: readonly Lane[];
  /** Maximum turns of one namespace that hold a lease in a lane at the same time; no limit by default. */
  max_per_namespace?: Partial<Record<Lane, number>>;
  /** Turns that are running in this process: never returned, whatever the state of their lease. */
  running?: readonly string[];
}

/**
 * Difference between the first seqs of two claims of a turn, if the first claim may have shown events that were not stored. A claim shows
 * fewer unstored events than this, so no seq is used twice.
 */
export const seqStride = 1_000_000;

/** Input to a turn from outside. Signals never queue behind the turn they are for. */
export type Signal =
  | { type: "stop"; by: string }
  | { type: "answer"; question_id: string; text: string; by: string }
  /** `name` is the display name of the person who decided. */
  | ({
      type: "approval";
      approval_id: string;
      by: string;
      name?: string;
      edited?: string | undefined;
    } & VerdictFields);

export interface ThreadRecord {
  thread: string;
  /** The beginning of the thread's first message. */
  title: string;
  turns: number;
  last_at: number;
  /** Whether a turn of the thread is not finished. */
  busy: boolean;
}

/** The amount of pending work. */
export interface Backlog {
  queued: number;
  running: number;
  waiting: number;
  /** Number of running turns that are suspects waiting for other suspects (see `TurnQueue.reclaim`). Absent if there are none. */
  held?: number | undefined;
  /** Absent when nothing waits for a worker. */
  oldest_at?: number | undefined;
}

export interface TurnFilter {
  namespace?: string | undefined;
  thread?: string | undefined;
  status?: TurnStatus | undefined;
  /** Only turns of the author with this id, on any platform. */
  author?: string | undefined;
  /** Only turns with an event of this type. */
  event?: TurnEvent["type"] | undefined;
  /** Only turns in which the person with this id was asked for a decision that nobody else can take. */
  asks?: string | undefined;
  /** Only turns accepted before this one (for paging). */
  before?: string | undefined;
  /** Maximum turns, newest first; 50 by default. */
  limit?: number | undefined;
}

/** The worker has lost its lease: another claim has the turn, or it is finished. The worker stops silently. */
export class LeaseLostError extends Error {
  readonly code = "lease_lost";
  constructor(turnId: string) {
    super(`The lease on turn ${turnId} is lost`);
  }
}

/**
 * Decides who runs which turn, and when. One write of `accept` is both the deduplication and the queue entry. Leases are given for a
 * duration: when they end, and whether a wait is over, is decided by the log's own clock, which is the same for all who claim.
 */
export interface TurnQueue {
  /**
   * Stores entry 0 (seq 0, type `inbound`) under the inbound's key. A known key changes nothing and returns the turn it created; `differs`
   * is set if that turn had another text, author or place (a deleted text differs from none). A message by the author of a waiting turn in
   * the same thread wakes that turn.
   */
  accept(
    inbound: Inbound,
    turnId: string,
    at: number,
  ): Promise<{ turn_id: string; accepted: boolean; differs?: true }>;
  /**
   * Leases the next turn that can run: queued, running with an expired lease, or waiting until a time that has come, and the first
   * unfinished turn of its line. Within a lane, the namespace with the fewest running turns comes first, then the oldest turn. `lease`
   * names this claim and must be unique among all claims: the name of the worker, a colon, and a number. Claims of several workers at the
   * same moment may each exceed a maximum of a namespace by one.
   *
   * Suspects (see `reclaim`) come first in their lane, those with the fewest crashes first, and a limited number of them run at once.
   */
  claim(lease: string, leaseMs: number, options?: ClaimOptions): Promise<ClaimedTurn | undefined>;
  /**
   * Called by a starting process before it claims. What it does depends on who else may claim from the log.
   *
   * On a log of one process, the previous holder of every lease is gone: makes every leased turn claimable at once. Unless that holder
   * announced its end (`leave`), it crashed. After a single crash all turns resume normally. A second one before the bot has settled
   * (`settle`) makes suspects of the turns in which a call of a tool was under way; a third one, or one while there are suspects, makes
   * suspects of all that were running. Three crashes of a settled bot make a suspect of a turn that was running in all of them. Half as
   * many suspects run at once as were running in the latest crash, alongside all other turns, and commands do not wait for messages. The
   * crash counts against the suspects that were running; if there were none, against the turn that was running alone; otherwise against no
   * turn. The turn that causes the crashes thus soon has the highest count. A suspect that ends, waits or is cleared is no longer a
   * suspect.
   *
   * On a log that workers share, frees nothing and only tells the number of suspects. There a worker has crashed when one of its leases
   * expires, unless it announced its end, and that counts once for all its turns: against the suspect that it ran; if there was none,
   * against the turn that it ran alone; otherwise against no turn, and those that are lost in this way for the second time are suspects.
   * Each worker runs one suspect at a time, alongside other turns. A turn that kills workers thus ends two of them without a count, together
   * with others, and from then on every worker that it ends counts against it alone.
   */
  reclaim(): Promise<Takeover>;
  /** The process has run for a while since `reclaim`. On a log of one process, a crash from now on is not related to the one before. */
  settle(): Promise<void>;
  /** The process is shutting down: from now on its end is not a crash, and no turn is blamed. */
  leave(): Promise<void>;
  /** The suspect has run for its `trial_ms` and no longer holds up others. No-op if the lease is lost. */
  clear(turnId: string, lease: string): Promise<void>;
  /**
   * Releases a lease: the turn is claimable after `afterMs` (0: at once). With `failed`, the run counts as a crash of the turn. No-op if
   * the lease is lost.
   */
  release(turnId: string, lease: string, afterMs: number, failed?: boolean): Promise<void>;
  /** Extends the leases that are still held. Returns the ids of the turns whose lease is lost. */
  renew(leases: readonly { turn_id: string; lease: string }[], leaseMs: number): Promise<string[]>;
  /** Milliseconds until the next waiting turn is due or the next lease expires; 0 if already due, undefined if there is none. */
  untilDue(): Promise<number | undefined>;
}

/** Writes by the worker that holds a turn's lease. */
export interface TurnWriting {
  /**
   * Appends events in order. `turn_finished` closes the turn. `turn_waiting` frees it until its time, an answer, or a message of its
   * author. `usage` adds to the turn's totals. A `transcript_opened` with the reason `deleted` replaces the turn's earlier ones.
   * @throws LeaseLostError when the lease is lost or a seq is taken
   */
  append(turnId: string, lease: string, events: readonly TurnEvent[]): Promise<void>;
  /**
   * In one write: appends `events` to the turn and finishes the queued turns `taken` with `turn_finished {outcome: completed, text: "",
   * merged_into}`. @throws LeaseLostError
   */
  absorb(
    turnId: string,
    lease: string,
    taken: readonly string[],
    events: readonly TurnEvent[],
  ): Promise<void>;
  /** Resolves when everything stored before the call survives a power loss. Concurrent callers share one sync. */
  durable(): Promise<void>;
}

/** Signals to a turn that runs or waits. */
export interface TurnSignals {
  /** Stores a signal and wakes the turn if it waits. False when the turn is unknown or finished. */
  signal(turnId: string, signal: Signal, at: number): Promise<boolean>;
  /** All signals of a turn, in order of arrival. */
  signals(turnId: string): Promise<Signal[]>;
  /** Queued messages by the turn's author that follow it in its line, without those that a schedule or trigger started. */
  steering(turnId: string): Promise<{ turn_id: string; inbound: Inbound }[]>;
}

/** Reads turns and their events. */
export interface TurnReading {
  get(turnId: string): Promise<TurnRecord | undefined>;
  list(filter: TurnFilter): Promise<TurnRecord[]>;
  /** Id of the turn accepted under this key. */
  find(key: string): Promise<string | undefined>;
  /** The stored events with a seq above `afterSeq` (-1: all), in order. Empty for an unknown turn. */
  read(turnId: string, afterSeq?: number): Promise<TurnEvent[]>;
  /** Tokens and cost of turns accepted at or after `since`. */
  usage(filter: { namespace?: string; user?: string; since: number }): Promise<UsageTotal>;
}

/** Reads threads, and the earlier turns of a thread. */
export interface ThreadReading {
  /** Ids of the thread's finished message turns with an ordinal below `before`, newest first. */
  finished(place: Place, before: number, limit: number): Promise<{ turn_id: string; ordinal: number }[]>;
  /** Number of deleted turns of the thread. Anything derived from a turn before its deletion must not be used any more. */
  deletions(place: Place): Promise<number>;
  /** Threads of a namespace, most recently active first. */
  threads(namespace: string, limit?: number): Promise<ThreadRecord[]>;
  /** All threads of a namespace, by name. Read in pages, so memory use does not grow with their number. */
  everyThread(namespace: string): AsyncIterable<ThreadRecord>;
  /** Namespaces with at least one message, of one platform if `platform` is given. */
  namespaces(platform?: string): Promise<string[]>;
}

/** Health of the log and its backlog. */
export interface TurnHealth {
  /** Unfinished turns by status, and when the oldest turn that a worker could take now began to wait (ms since the epoch). */
  backlog(): Promise<Backlog>;
  /** Writes a probe entry to check whether the log is writable. @throws when it is not */
  probe(at: number): Promise<void>;
}

/**
 * The durable log and queue of turns.
 *
 * Lines: the messages of a thread form a line and run one after another, in the order they were accepted. Every command is a line of its
 * own. Every method is atomic. A rejected promise (disk full, database locked) means that nothing was stored or, if the disk failed to
 * sync, that a power loss may undo the write.
 *
 * Stored data survives the death of the process. `accept` and `signal` resolve once it also survives a power loss; for other writes this
 * holds after `durable`.
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

/** What the processes on a shared log tell each other. Calls may be lost with a connection, so whoever claims also looks from time to time. */
export interface TurnCalls {
  /**
   * Calls back when a turn may have become claimable, in whichever process. A claim that runs during the call may have missed that turn, so
   * claim again. Waits and leases that end ring nothing (`untilDue`). Returns a function that ends it.
   */
  onWork(heard: () => void): Promise<() => Promise<void>>;
  /** Calls back with the id of a running turn that a signal reached; undefined if any turn may have one, because calls were lost. */
  onSignal(heard: (turnId: string | undefined) => void): Promise<() => Promise<void>>;
  /** Calls back when events of a turn in the namespace were stored; undefined if calls were lost. */
  onEvents(
    namespace: string,
    heard: (stored: StoredEvents | undefined) => void,
  ): Promise<() => Promise<void>>;
}

/** Events that were stored together. */
export interface StoredEvents {
  turn_id: string;
  thread: string;
  /** Their first and last seq. */
  from: number;
  to: number;
  /** The worker whose turn it is; null if none has it. */
  by: string | null;
}

/** Which details are deleted, and what is deleted with them. */
export interface DetailsOptions {
  /** Only details that are old at this time, as `oldDetails` defines it, ms since the epoch. */
  idle_since?: number | undefined;
  /**
   * Some person's words in the details must not be used any more. Also deletes the text that later turns of the threads carried over, and
   * the text of entry 0 about the event that started the turn (`Cause`); `deletions` increases.
   */
  forgets?: true | undefined;
}

/** A position among finished turns, in the order in which they finished. */
export interface FinishedPosition {
  finished_at: number;
  ordinal: number;
}

/** One page of finished turns, and the position of the next one, if there is one. */
export interface FinishedPage {
  turn_ids: string[];
  next?: FinishedPosition | undefined;
}

/** A thread without recent activity. */
export interface IdleThread {
  thread: string;
  turns: number;
  /** Ms since the epoch. */
  last_at: number;
}

/**
 * Permanent deletion from a turn log, on request or because of age. Times are ms since the epoch. Unfinished turns, and threads that
 * contain one, are never touched. No method blocks the event loop for long: lists are paged, and deletions are split into several complete
 * writes. Deleted rows are overwritten in the database at once, and in its write-ahead log by `scrub`. Copies that the database made when
 * it moved rows between pages are only removed by `scrub({ rebuild: true })`.
 */
export interface TurnRemoval {
  /**
   * Permanently deletes the texts of a finished turn. Of its events, only entry 0 remains (with an empty text and no files), followed after
   * all previous events by a `turn_finished` with `forgotten_by`. Also deletes its signals and the text that later turns of its thread
   * carried over (`transcript_opened`), and renames a thread whose title came from it. The record stays, without text
   * and answer. False if the turn is unknown or not finished; repeating the call changes nothing.
   */
  forget(turnId: string, by: string, at: number): Promise<boolean>;
  /** Puts `deletedPerson` in place of a person, given by id, in these finished turns: as their author, and as who deleted them. */
  disown(turnIds: readonly string[], person: string): Promise<void>;
  /**
   * Deletes the run details of finished turns: their signals, and all events except `withoutDetails`. A `details_removed` replaces the
   * first deleted event. Unknown or unfinished turns are unchanged. If a crash interrupts the deletion, the turn already has its
   * `details_removed`, and a second call completes it.
   */
  removeDetails(turnIds: readonly string[], at: number, options?: DetailsOptions): Promise<void>;
  /**
   * One page of the turns whose details are old and not needed for a transcript: the turn finished before `before`, and its thread has been
   * idle since, or a later turn has opened a transcript. Oldest first. A page may be empty even if there is a next one.
   */
  oldDetails(before: number, after?: FinishedPosition): Promise<FinishedPage>;
  /**
   * One page of the turns that have their run details and finished before `before`, the first to finish first. `next` is the position of the
   * last one, whether or not there are more.
   */
  finishedBefore(before: number, after?: FinishedPosition): Promise<FinishedPage>;
  /** One page of the threads of a namespace whose last turn ended before `before`, oldest first, starting after `after`. */
  idleThreads(namespace: string, before: number, after?: IdleThread): Promise<IdleThread[]>;
  /**
   * Deletes the oldest turns of a thread, up to the limit of one call, if the thread has been idle since `before`. The last turn takes its
   * thread with it, and the last thread its namespace. Returns the deleted turns; empty when nothing is left to delete. Their keys may be
   * accepted again.
   */
  removeTurns(place: Place, before: number): Promise<string[]>;
  /**
   * Overwrites deleted data in the write-ahead log. Copies of deleted rows in free space are only removed with
   * `rebuild`, which rewrites the files. That needs as much free disk space as the files take, and other writes wait for it.
   * @throws when the files cannot be rewritten
   */
  scrub(options?: { rebuild?: true }): Promise<void>;
}
