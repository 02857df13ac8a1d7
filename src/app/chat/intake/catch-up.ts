import { channelThread } from "../../../core/chat-platform.ts";
import { isDirectMessage, type Place } from "../../../core/place.ts";
import type { IntakeContext } from "./intake-context.ts";
import type { JoinedChannels } from "./joined-channels.ts";

/** What to look through after a time without connection. */
export interface CatchUp {
  missed(platform: string): Promise<{ since: number; places: readonly Place[] }>;
  seen(platform: string): Promise<void>;
}

/** The time is stored no more often. */
const seenEveryMs = 60_000;

/** Looked back further by this: what was on its way when the time was stored. What is known already is not taken again. */
const overlapMs = 2 * 60_000;

const seenKey = (platform: string) => `chat-seen:${platform}`;

export function createCatchUp({ app, store, clock, policy }: IntakeContext, joined: JoinedChannels): CatchUp {
  let storedAt = Number.NEGATIVE_INFINITY;
  return {
    async missed(platform) {
      const now = clock.now();
      const seen = await store.get(seenKey(platform));
      // A bot that was never connected has missed nothing.
      const since = typeof seen === "number" ? Math.max(seen - overlapMs, now - policy.catch_up_ms) : now;
      const namespaces = new Set([...(await app.namespaces(platform)), ...(await joined.all(platform))]);
      const places = await Promise.all(
        [...namespaces].map(async (namespace) => {
          const threads = await app.threads(namespace);
          const active = threads.filter((each) => each.last_at >= now - policy.catch_up_ms);
          const main = isDirectMessage(namespace) ? "dm" : channelThread;
          const others = active.map((each) => each.thread).filter((thread) => thread !== main);
          return [main, ...others].map((thread) => ({ namespace, thread }));
        }),
      );
      return { since, places: places.flat() };
    },
    async seen(platform) {
      const now = clock.now();
      if (now - storedAt < seenEveryMs) return;
      storedAt = now;
      try {
        await store.set(seenKey(platform), now);
      } catch (error) {
        storedAt = Number.NEGATIVE_INFINITY;
        throw error;
      }
    },
  };
}
