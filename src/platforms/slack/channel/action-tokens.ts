import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { SlackMessage } from "./message-event.ts";

/** Slack says only that they expire, and refuses an expired one. */
const lifeMs = 3_600_000;

/**
 * The tokens that come with messages to the bot and allow it to search with the rights of their author
 * (https://docs.slack.dev/ai/using-data-access-api). All processes share them. Never rejects: without a token, other means search.
 */
export class ActionTokens {
  readonly #clock: Clock;
  readonly #tokens: ExpiringEntries<{ token: string; until: number }>;

  /** @param sealed an encrypted store: whoever has a token can search with it */
  constructor(sealed: KeyValue, clock: Clock, logger: Log) {
    this.#clock = clock;
    this.#tokens = new ExpiringEntries(sealed, clock, "action-tokens", { groups: 16, most: 128 }, (error) =>
      logger.warn({ err: error, platform: "slack" }, "an action token could not be stored or read"),
    );
  }

  /** @param id of the message: `Origin.message` */
  async remember(namespace: string, id: string, message: SlackMessage): Promise<void> {
    const token = message.action_token ?? message.assistant_thread?.action_token;
    if (!token) return;
    const until = this.#clock.now() + lifeMs;
    await this.#tokens.change(`${namespace} ${id}`, () => ({ token, until }));
  }

  async of(namespace: string, id: string): Promise<string | undefined> {
    return (await this.#tokens.get(`${namespace} ${id}`))?.token;
  }
}
