import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenterDeps } from "./present/presenter-deps.ts";
import type { TurnPresenter } from "./turn-presenter.ts";

/** Shows turns that came from a chat platform there. All others pass at no cost. */
export function createTurnPresenter(deps: TurnPresenterDeps): TurnPresenter {
  return {
    around(claimed, run, signal) {
      const { origin, namespace, author } = claimed.inbound;
      const platform = origin === undefined ? undefined : deps.platforms.of(namespace);
      if (origin === undefined || platform === undefined) return run();
      const to = { message: origin.message, person: author.id };
      return presentTurn(deps, claimed, { platform, to }, run, signal);
    },
  };
}
