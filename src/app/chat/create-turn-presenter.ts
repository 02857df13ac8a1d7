import { type AnswerReady, finishedBy } from "./present/plan-answer.ts";
import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenterDeps } from "./present/presenter-deps.ts";
import type { TurnPresenter } from "./turn-presenter.ts";

/** Shows turns that came from a chat platform there. All others pass at no cost. */
export function createTurnPresenter(deps: TurnPresenterDeps): TurnPresenter {
  return {
    around(claimed, run, signal) {
      const { origin, namespace, author } = claimed.inbound;
      if (origin === undefined) return run();
      const platform = deps.platforms.of(namespace);
      if (platform !== undefined) {
        const to = { message: origin.message, person: author.id };
        return presentTurn(deps, claimed, { platform, to }, run, signal);
      }
      const ready = claimed.events.find((event) => event.type === "answer_ready");
      return ready === undefined ? run() : finishUnseen(ready);
    },
  };
}

/** A turn that is done, of a platform that was taken out of the configuration: nothing of it is run again. */
async function* finishUnseen(ready: AnswerReady) {
  yield finishedBy(ready);
}
