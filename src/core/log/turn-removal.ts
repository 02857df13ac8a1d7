import type { Author } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";

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
