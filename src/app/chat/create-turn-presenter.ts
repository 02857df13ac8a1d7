import { backoff } from "../../base/backoff.ts";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import { finishedBy } from "./present/plan-answer.ts";
import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenterDeps } from "./present/presented-turn.ts";
import { ifStillWanted } from "./present/still-wanted.ts";
import { whileHeld } from "./present/while-held.ts";

/**
 * Shows turns that came from a chat platform there while they run, and delivers their answers. All others pass at no cost.
 */
export function createTurnPresenter(deps: TurnPresenterDeps) {
  return {
    /**
     * The events of a turn, including those of its presentation. For a turn from a platform, progress and questions are posted while the
     * events pass. `answer_ready` comes before `turn_finished`; in between, the answer is posted and noted (`message_posted`). When
     * the platform cannot be reached, the turn waits (`turn_waiting`), and the next worker only delivers the answer. Turns from
     * elsewhere pass unchanged.
     *
     * A turn that was interrupted for a long time first asks its author whether it is still wanted.
     *
     * @param isHeld whether nobody else can have the turn now; when somebody can, nothing more is posted or changed
     */
    around(
      claimed: ClaimedTurn,
      run: (signal: AbortSignal) => AsyncGenerator<TurnEventBody, void>,
      signal: AbortSignal,
      isHeld: () => boolean,
    ): AsyncGenerator<TurnEventBody, void> {
      const { origin, namespace, author } = claimed.inbound;
      if (origin === undefined) return run(signal);
      const found = deps.platforms.of(namespace);
      if (found !== undefined) {
        const platform = whileHeld(found, claimed.turn_id, isHeld);
        const to = { message: origin.message, person: author.id };
        const whenWanted = () => ifStillWanted(deps, claimed, run, signal);
        return presentTurn(deps, claimed, { platform, to }, whenWanted, signal);
      }
      return withoutPlatform(claimed, deps.clock.now(), () => run(signal));
    },
  };
}

/** Maximum time a turn waits for a process that serves its platform, ms. */
const maxAbsenceMs = 24 * 3_600_000;
/** Pauses between checks whether this process serves the platform, ms. */
const pauses = { minMs: 2_000, maxMs: 60_000 };

/**
 * A turn for a platform this process does not serve: the process is a command run while the bot is stopped, or the platform was removed
 * from the configuration. The turn waits for a bot that serves it; after a day it ends, and only the console shows its answer.
 */
async function* withoutPlatform(
  { events }: ClaimedTurn,
  now: number,
  run: () => AsyncGenerator<TurnEventBody, void>,
): AsyncGenerator<TurnEventBody, void> {
  const said = events[0]?.at ?? now;
  if (now - said < maxAbsenceMs) {
    const waits = events.filter((event) => event.type === "turn_waiting").length;
    yield { type: "turn_waiting", until: now + backoff(waits + 1, pauses) };
    return;
  }
  const ready = events.find((event) => event.type === "answer_ready");
  if (ready === undefined) yield* run();
  else yield finishedBy(ready);
}
