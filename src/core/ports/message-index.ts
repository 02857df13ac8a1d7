/**
 * What people said in channels that are searched by an index: where a platform has no search for bots, and only after a manager of the
 * channel has switched it on.
 */
import type { MessageQuery } from "./chat-actions.ts";

/** A message as the index keeps it. */
export interface IndexedMessage {
  namespace: string;
  /** Its reference (`ChatActions`). */
  reference: string;
  thread?: string | undefined;
  author: { id: string; name: string };
  text: string;
  /** ms since the epoch. */
  at: number;
}

/** Adding and removing one message are atomic; what removes many does so in steps. Texts are bounded by who adds them. */
export interface MessageIndex {
  /** Adds messages, or replaces those that are there. */
  put(messages: readonly IndexedMessage[]): Promise<void>;
  remove(namespace: string, reference: string): Promise<void>;
  /** Removes all of a channel; answers how many. */
  clear(namespace: string): Promise<number>;
  /** Removes what was said before a time (ms since the epoch), in one channel or in all; answers how many. */
  clearBefore(before: number, namespace?: string): Promise<number>;
  /** Removes what a person said in the channels that `isThere` holds for; answers how many. With `dryRun` only counts. */
  clearAuthor(
    author: string,
    isThere: (namespace: string) => boolean,
    options?: { dryRun?: boolean },
  ): Promise<number>;
  /** The latest messages that have all words, the latest first. Words match from their beginning, in any case and without accents. */
  search(namespace: string, query: MessageQuery): Promise<IndexedMessage[]>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
  /** How many messages of a channel there are, and from when to when, ms since the epoch. */
  extent(namespace: string): Promise<{
    messages: number;
    since?: number | undefined;
    newest?: number | undefined;
  }>;
}
