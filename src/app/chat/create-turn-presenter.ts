import { backoff } from "../../base/backoff.ts";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import { finishedBy } from "./present/plan-answer.ts";
import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenterDeps } from "./present/presented-turn.ts";
import { ifStillWanted } from "./present/still-wanted.ts";

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

/** Shows turns that came from a chat platform there. All others pass at no cost. */
export function createTurnPresenter(deps: TurnPresenterDeps): TurnPresenter {
  return {
    around(claimed, run, signal) {
      const { origin, namespace, author } = claimed.inbound;
      if (origin === undefined) return run(signal);
      const platform = deps.platforms.of(namespace);
      if (platform !== undefined) {
        const to = { message: origin.message, person: author.id };
        const whenWanted = () => ifStillWanted(deps, claimed, run, signal);
        return presentTurn(deps, claimed, { platform, to }, whenWanted, signal);
      }
      return withoutPlatform(claimed, deps.clock.now(), () => run(signal));
    },
  };
}

/** Longest a turn waits for a process that serves its platform, ms. */
const maxAbsence = 24 * 3_600_000;
/** Between two looks whether this process serves it, ms. */
const pauses = { minMs: 2_000, maxMs: 60_000 };

/**
 * A turn of a platform that this process does not serve: a command beside the stopped bot, or the platform was taken out of the
 * configuration. It waits for a bot that has it; after a day it ends where only the console sees it.
 */
async function* withoutPlatform(
  { events }: ClaimedTurn,
  now: number,
  run: () => AsyncGenerator<TurnEventBody, void>,
): AsyncGenerator<TurnEventBody, void> {
  const said = events[0]?.at ?? now;
  if (now - said < maxAbsence) {
    const waits = events.filter((event) => event.type === "turn_waiting").length;
    yield { type: "turn_waiting", until: now + backoff(waits + 1, pauses) };
    return;
  }
  const ready = events.find((event) => event.type === "answer_ready");
  if (ready === undefined) yield* run();
  else yield finishedBy(ready);
}
