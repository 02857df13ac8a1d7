/** Parts of statements of a turn log that are the same in every database. Parameters are `$1`, `$2`, … */
import { withoutDetails } from "../../core/log/turn-event.ts";

/** Written while something it carried over was deleted: the new one does not include it. */
export const dropOpenings =
  "DELETE FROM events WHERE turn_id = $1 AND type = 'transcript_opened' AND seq < $2";

export const noteOpening = `
  UPDATE threads SET opened = turns.ordinal FROM turns
  WHERE turns.turn_id = $1 AND threads.namespace = turns.namespace AND threads.thread = turns.thread`;

/** Whether no transcript continues from a finished turn: its thread has been idle for long enough, or has a later opening. */
export const isUnused = (since: string) =>
  `((threads.unfinished = 0 AND threads.last_at < ${since}) OR threads.opened > turns.ordinal)`;

export const isDetail = `type NOT IN (${withoutDetails.map((type) => `'${type}'`).join(", ")})`;
