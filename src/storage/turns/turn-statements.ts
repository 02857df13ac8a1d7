/** Statements of a turn log that are the same in every database. Parameters are `$1`, `$2`, … */
import { withoutDetails } from "../../core/log/turn-event.ts";

/** Written while something it carried over was deleted: the new one does not include it. */
export const dropOpenings =
  "DELETE FROM events WHERE turn_id = $1 AND type = 'transcript_opened' AND seq < $2";

export const noteOpening = `
  UPDATE threads SET opened = turns.ordinal FROM turns
  WHERE turns.turn_id = $1 AND threads.namespace = turns.namespace AND threads.thread = turns.thread`;

export const finishedTurn =
  "SELECT ordinal, namespace, thread FROM turns WHERE turn_id = $1 AND status = 'finished'";

/** `1 = 0` is false in every database. */
export const emptyTurn = `
  UPDATE turns SET text = $2, answer = NULL, details = (1 = 0) WHERE turn_id = $1`;

export const disownTurn =
  "UPDATE turns SET author_id = $3, author = $4 WHERE turn_id = $1 AND author_id = $2";

/** A thread without messages is named after its first command, and so has no root. */
export const renameThread = `
  UPDATE threads SET title = $1
  WHERE namespace = $2 AND thread = $3 AND (root = $4 OR (root IS NULL AND $5 = (
    SELECT min(ordinal) FROM turns WHERE thread = $3 AND namespace = $2)))`;

/** Work in the background may end after turns that were accepted before it have begun. */
export const dropCarriedOver = `
  DELETE FROM events
  WHERE (type IN ('transcript_opened', 'background_ended')
      OR (type = 'run' AND (body LIKE '%"event":{"type":"transcript_opened"%'
        OR body LIKE '%"event":{"type":"background_ended"%')))
    AND turn_id IN (
    SELECT turn_id FROM turns WHERE thread = $2 AND namespace = $1 AND (ordinal > $3
      OR EXISTS (SELECT 1 FROM turns WHERE ordinal = $3 AND line LIKE 'background %')))`;

export const countDeletion =
  "UPDATE threads SET deletions = deletions + 1 WHERE namespace = $1 AND thread = $2";

/** If somebody writes there before the next call, their message names the thread. */
export const countRemoved = `
  UPDATE threads SET turns = turns - $3, root = NULL, title = $4 WHERE namespace = $1 AND thread = $2`;

export const dropThread = `
  DELETE FROM threads WHERE namespace = $1 AND thread = $2
    AND NOT EXISTS (SELECT 1 FROM turns WHERE thread = $2 AND namespace = $1) RETURNING thread`;

export const dropNamespace = `
  DELETE FROM namespaces WHERE namespace = $1 AND NOT EXISTS (SELECT 1 FROM threads WHERE namespace = $1)
  RETURNING namespace`;

/** Whether no transcript continues from a finished turn: its thread has been idle for long enough, or has a later opening. */
export const isUnused = (since: string) =>
  `((threads.unfinished = 0 AND threads.last_at < ${since}) OR threads.opened > turns.ordinal)`;

export const isDetail = `type NOT IN (${withoutDetails.map((type) => `'${type}'`).join(", ")})`;

export const isMarked = "SELECT 1 FROM events WHERE turn_id = $1 AND type = 'details_removed'";
