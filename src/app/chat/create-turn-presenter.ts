import type { Clock } from "../../core/clock.ts";
import type { FileStore } from "../../core/file-store.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { Redact } from "../../core/redact.ts";
import type { Log } from "../log.ts";
import type { ChatPlatforms } from "./chat-hub.ts";
import type { ChatPolicy } from "./chat-policy.ts";
import { presentTurn } from "./present/present-turn.ts";
import type { TurnPresenter } from "./turn-presenter.ts";

export interface TurnPresenterDeps {
  platforms: ChatPlatforms;
  store: KeyValue;
  clock: Clock;
  redact: Redact;
  logger: Log;
  chat: ChatPolicy;
  /** The name people call the bot by. */
  name: string;
  /** Where the files are that tools made; without it they are only named. */
  files?: FileStore | undefined;
}

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
