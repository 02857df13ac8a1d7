import type { TurnSignals } from "../../core/log/turn-log.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** How people act on a turn in progress. */
export interface TurnControl {
  /** False when it is unknown or finished. @param by a user's id */
  stop(turnId: string, by: string): Promise<boolean>;
  /** False when the question is no longer open. @param by a user's id */
  answer(turnId: string, questionId: string, text: string, by: string): Promise<boolean>;
}

export function createTurnControl(
  log: TurnSignals,
  clock: Pick<Clock, "now">,
  dispatcher: Pick<Dispatcher, "abort" | "wake">,
): TurnControl {
  return {
    async stop(turnId, by) {
      const known = await log.signal(turnId, { type: "stop", by }, clock.now());
      dispatcher.abort(turnId);
      dispatcher.wake();
      return known;
    },
    async answer(turnId, question_id, text, by) {
      const known = await log.signal(turnId, { type: "answer", question_id, text, by }, clock.now());
      dispatcher.wake();
      return known;
    },
  };
}
