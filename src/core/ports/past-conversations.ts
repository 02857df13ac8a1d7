/** Conversations that this channel had with the bot. */

/** A turn of one, as a search finds it. */
export interface PastExchange {
  turn_id: string;
  thread: string;
  /** Who asked: their name. */
  by: string;
  question: string;
  answer: string;
  /** When it was said, ms since the epoch. */
  at: number;
  /** Where people find it; absent where the platform has no links. */
  link?: string | undefined;
}

export interface FoundExchanges {
  /** The best first. */
  exchanges: readonly PastExchange[];
  /** How many turns were looked at, and since when, ms since the epoch, where older ones were left out. */
  looked_at: number;
  since?: number | undefined;
}

/** Searches the finished turns of a namespace. */
export interface PastConversations {
  search(
    namespace: string,
    query: { words: string; most: number; except_thread?: string | undefined },
    signal: AbortSignal,
  ): Promise<FoundExchanges>;
}
