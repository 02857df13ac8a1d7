import { channelThread } from "../../../core/ports/chat-platform.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { isDirectMessage, partsOf } from "../../../core/values/place.ts";
import type { ChatIntake } from "../chat-intake.ts";
import type { IntakeContext } from "./intake-context.ts";

/** Minimum pause between two writes of the time. */
const seenEveryMs = 60_000;

/** Looks back this much further, for messages that were in transit when the time was stored. Known messages are not taken again. */
const overlapMs = 2 * 60_000;

const seenKey = (platform: string, part?: string) =>
  part === undefined ? `chat-seen:${platform}` : `chat-seen:${platform}:${part}`;

export function createCatchUp(
  { app, store, clock, policy }: IntakeContext,
  joined: JoinedChannels,
): Pick<ChatIntake, "missed" | "seen"> {
  /** When a time was last written, by its key. */
  const written = new Map<string, number>();
  const readSeen = async (key: string) => {
    const seen = await store.get(key);
    return typeof seen === "number" ? seen : undefined;
  };
  const seenUntil = async (platform: string, parts: readonly string[]): Promise<number | undefined> => {
    const whole = await readSeen(seenKey(platform));
    const times = await Promise.all(parts.map((part) => readSeen(seenKey(platform, part))));
    const known = times.map((time) => time ?? whole).filter((time) => time !== undefined);
    return known.length === 0 ? whole : Math.min(...known);
  };
  return {
    async missed(platform, parts = []) {
      const now = clock.now();
      const seen = await seenUntil(platform, parts);
      // A bot that was never connected has missed nothing.
      const since = seen === undefined ? now : Math.max(seen - overlapMs, now - policy.catch_up_ms);
      const namespaces = new Set([...(await app.namespaces(platform)), ...(await joined.all(platform))]);
      const known = await Promise.all(
        [...namespaces].map(async (namespace) => {
          const threads = await app.threads(namespace);
          const active = threads.filter((each) => each.last_at >= now - policy.catch_up_ms);
          const main = isDirectMessage(namespace) ? "dm" : channelThread;
          const others = active.map((each) => each.thread).filter((thread) => thread !== main);
          const places = [main, ...others].map((thread) => ({ namespace, thread }));
          return { places, usedAt: Math.max(0, ...threads.map(({ last_at }) => last_at)) };
        }),
      );
      const places = known.toSorted((a, b) => b.usedAt - a.usedAt).flatMap((each) => each.places);
      return { seen, since, places };
    },
    async seen(platform, parts = []) {
      const now = clock.now();
      for (const key of [seenKey(platform), ...parts.map((part) => seenKey(platform, part))]) {
        if (now - (written.get(key) ?? Number.NEGATIVE_INFINITY) < seenEveryMs) continue;
        await store.set(key, now);
        written.set(key, now);
      }
    },
  };
}

/** The channels of a platform that the bot was invited to: mentions can be missed there even before its first turn. */
export type JoinedChannels = ReturnType<typeof createJoinedChannels>;

/** Maximum channels kept per platform, the latest ones. Channels with turns are also known from the log. */
const maxChannels = 2_000;

const keyOf = (platform: string) => `chat-joined:${platform}`;

export function createJoinedChannels(store: KeyValue) {
  const change = async (namespace: string, isIn: boolean) => {
    await store.update<string[]>(keyOf(partsOf(namespace).platform), (joined = []) => {
      const others = joined.filter((each) => each !== namespace);
      return isIn ? [...others, namespace].slice(-maxChannels) : others;
    });
  };
  return {
    async all(platform: string): Promise<string[]> {
      const joined = await store.get(keyOf(platform));
      return Array.isArray(joined) ? joined.filter((each) => typeof each === "string") : [];
    },
    add: (namespace: string) => change(namespace, true),
    remove: (namespace: string) => change(namespace, false),
  };
}
