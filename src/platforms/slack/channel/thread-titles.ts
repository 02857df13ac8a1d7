import type { ChatMessage } from "../../../app/chat/chat-intake.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";

/** Names assistant threads, which Slack lists by name, after their first message. */
export interface ThreadTitles {
  started(place: Place): void;
  /** Names the thread if this is its first message. Does not wait for Slack. */
  said(message: ChatMessage): void;
}

/** Maximum threads that wait for their first message. After a restart they keep the name Slack gave them. */
const maxWaiting = 1_000;
const titleLength = 80;

/** @param name never rejects for a refusal of Slack */
export function createThreadTitles(
  name: (place: Place, title: string) => Promise<void>,
  logger: Log,
): ThreadTitles {
  const waiting = new Set<string>();
  const keyOf = ({ namespace, thread }: Place) => `${namespace} ${thread}`;
  return {
    started(place) {
      waiting.add(keyOf(place));
      const [oldest] = waiting;
      if (waiting.size > maxWaiting && oldest !== undefined) waiting.delete(oldest);
    },
    said({ place, text }) {
      const title = beginningOf(text.replaceAll(/\s+/g, " ").trim(), titleLength);
      if (title === "" || !waiting.delete(keyOf(place))) return;
      name(place, title).catch((error: unknown) =>
        logger.warn({ err: error }, "a thread could not be named"),
      );
    },
  };
}
