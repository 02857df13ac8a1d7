import { createExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { SlackMessage } from "./message-event.ts";

/**
 * The tokens that come with messages to the bot and allow it to search with the rights of their author
 * (https://docs.slack.dev/ai/using-data-access-api). All processes share them. Never rejects: without a token, other means search.
 */
export interface ActionTokens {
  /** @param id of the message: `Origin.message` */
  remember(namespace: string, id: string, message: SlackMessage): Promise<void>;
  of(namespace: string, id: string): Promise<string | undefined>;
}

export interface ActionTokensDeps {
  /** An encrypted store: whoever has a token can search with it. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
}

/** Slack says only that they expire, and refuses an expired one. */
const lifeMs = 3_600_000;

export function createActionTokens({ sealed, clock, logger }: ActionTokensDeps): ActionTokens {
  const tokens = createExpiringEntries<{ token: string; until: number }>({
    store: sealed,
    clock,
    key: "action-tokens",
    groups: 16,
    most: 128,
  });
  const quietly = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      logger.warn({ err: error, platform: "slack" }, "an action token could not be stored or read");
      return undefined;
    });
  return {
    async remember(namespace, id, { action_token, assistant_thread }) {
      const token = action_token ?? assistant_thread?.action_token;
      if (!token) return;
      await quietly(tokens.change(`${namespace} ${id}`, () => ({ token, until: clock.now() + lifeMs })));
    },
    async of(namespace, id) {
      return (await quietly(tokens.get(`${namespace} ${id}`)))?.token;
    },
  };
}
