import type { ChatMessage } from "../../../app/chat/chat-intake.ts";
import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";

/** Maximum time a thread waits for its first message, ms. Afterwards it keeps the name Slack gave it. */
const maxWaitMs = 24 * 3_600_000;
const titleLength = 80;

const keyOf = ({ namespace, thread }: Place) => `${namespace} ${thread}`;

/** Names assistant threads, which Slack lists by name, after their first message. Another process may hear that message. */
export class ThreadTitles {
  readonly #clock: Clock;
  readonly #logger: Log;
  readonly #name: (place: Place, title: string) => Promise<void>;
  readonly #waiting: ExpiringEntries;

  /** @param name names a thread, and never rejects for a refusal of Slack */
  constructor(
    store: KeyValue,
    clock: Clock,
    logger: Log,
    name: (place: Place, title: string) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#name = name;
    this.#waiting = new ExpiringEntries(store, clock, "slack-new-threads", { groups: 8, most: 128 });
  }

  /** @throws when the store fails */
  async started(place: Place): Promise<void> {
    await this.#waiting.change(keyOf(place), () => ({ until: this.#clock.now() + maxWaitMs }));
  }

  /** Names the thread if this is its first message. Never rejects. */
  async said({ place, text }: ChatMessage): Promise<void> {
    const title = beginningOf(plainWords(text).replaceAll(/\s+/g, " "), titleLength);
    if (title === "" || !isDirectMessage(place.namespace)) return;
    const key = keyOf(place);
    try {
      if ((await this.#waiting.get(key)) === undefined) return;
      if ((await this.#waiting.change(key, () => undefined)) !== undefined) await this.#name(place, title);
    } catch (error) {
      this.#logger.warn({ err: error }, "a thread could not be named");
    }
  }
}
