import { channelThread } from "../../../core/ports/chat-platform.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { isDirectMessage, type Place, partsOf } from "../../../core/values/place.ts";
import type { IntakeContext } from "./intake-context.ts";

/** The places to read after a time without connection. */
export interface CatchUp {
  missed(platform: string): Promise<{ since: number; places: readonly Place[] }>;
  seen(platform: string): Promise<void>;
}

/** Minimum pause between two writes of the time. */
const seenEveryMs = 60_000;

/** Looks back this much further, for messages that were in transit when the time was stored. Known messages are not taken again. */
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

/** The channels of a platform that the bot was invited to: mentions can be missed there even before its first turn. */
export interface JoinedChannels {
  all(platform: string): Promise<string[]>;
  add(namespace: string): Promise<void>;
  remove(namespace: string): Promise<void>;
}

/** Maximum channels kept per platform, the latest ones. Channels with turns are also known from the log. */
const maxChannels = 2_000;

const keyOf = (platform: string) => `chat-joined:${platform}`;

export function createJoinedChannels(store: KeyValue): JoinedChannels {
  const change = async (namespace: string, isIn: boolean) => {
    await store.update<string[]>(keyOf(partsOf(namespace).platform), (joined = []) => {
      const others = joined.filter((each) => each !== namespace);
      return isIn ? [...others, namespace].slice(-maxChannels) : others;
    });
  };
  return {
    async all(platform) {
      const joined = await store.get(keyOf(platform));
      return Array.isArray(joined) ? joined.filter((each) => typeof each === "string") : [];
    },
    add: (namespace) => change(namespace, true),
    remove: (namespace) => change(namespace, false),
  };
}
