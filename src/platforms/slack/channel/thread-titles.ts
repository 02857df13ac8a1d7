import type { ChatMessage } from "../../../app/chat/chat-intake.ts";
import { createExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";

/** Names assistant threads, which Slack lists by name, after their first message. Another process may hear that message. */
export interface ThreadTitles {
  /** @throws when the store fails */
  started(place: Place): Promise<void>;
  /** Names the thread if this is its first message. Never rejects. */
  said(message: ChatMessage): Promise<void>;
}

export interface ThreadTitlesDeps {
  store: KeyValue;
  clock: Clock;
  logger: Log;
  /** Never rejects for a refusal of Slack. */
  name(place: Place, title: string): Promise<void>;
}

/** Maximum time a thread waits for its first message, ms. Afterwards it keeps the name Slack gave it. */
const maxWaitMs = 24 * 3_600_000;
const titleLength = 80;

export function createThreadTitles({ store, clock, logger, name }: ThreadTitlesDeps): ThreadTitles {
  const waiting = createExpiringEntries({ store, clock, key: "slack-new-threads", groups: 8, most: 128 });
  const keyOf = ({ namespace, thread }: Place) => `${namespace} ${thread}`;
  const isFirst = async (key: string) =>
    (await waiting.get(key)) !== undefined && (await waiting.change(key, () => undefined)) !== undefined;
  return {
    async started(place) {
      await waiting.change(keyOf(place), () => ({ until: clock.now() + maxWaitMs }));
    },
    async said({ place, text }) {
      const title = beginningOf(plainWords(text).replaceAll(/\s+/g, " "), titleLength);
      if (title === "" || !isDirectMessage(place.namespace)) return;
      try {
        if (await isFirst(keyOf(place))) await name(place, title);
      } catch (error) {
        logger.warn({ err: error }, "a thread could not be named");
      }
    },
  };
}
