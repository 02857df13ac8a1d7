import type { TurnEventBody } from "../../core/turn-event.ts";
import type { ClaimedTurn } from "../../core/turn-log.ts";

/** Shows turns on chat platforms while they run, and delivers their answers. */
export interface TurnPresenter {
  /**
   * The events of a turn, with those of its presentation among them. For a turn that came from a platform: progress and questions
   * are posted while the events pass; before `turn_finished` comes `answer_ready`, then the answer is posted and noted
   * (`message_posted`). When the platform cannot be reached the turn waits (`turn_waiting`), and the next worker only delivers. Turns
   * from elsewhere pass unchanged.
   *
   * A turn that was interrupted for long asks its author first whether it is still wanted.
   */
  around(
    claimed: ClaimedTurn,
    run: (signal: AbortSignal) => AsyncGenerator<TurnEventBody, void>,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEventBody, void>;
}
