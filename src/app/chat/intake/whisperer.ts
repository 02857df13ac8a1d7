import { LRUCache } from "lru-cache";
import type { ChatPlatform } from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";

/** Whom something is said to, and about which message, command or press of theirs (the platform's id). */
export interface Listener {
  place: Place;
  person: string;
  about: string;
}

/** Says things that only one person sees. Never throws: a whisper that fails is logged, and nothing depends on it. */
export interface Whisperer {
  say(to: Listener, markdown: string): Promise<void>;
  /** Says it unless this person was told about this topic in this channel less than `pauseMs` ago. */
  sayOnce(to: Listener, topic: string, pauseMs: number, markdown: string): Promise<void>;
}

/** People and topics kept in memory. */
const remembered = 10_000;

export function createWhisperer(platform: ChatPlatform, clock: Clock, logger: Log): Whisperer {
  const toldAt = new LRUCache<string, number>({ max: remembered });
  const say: Whisperer["say"] = async ({ place, person, about }, markdown) => {
    try {
      await platform.whisper(place, person, { markdown }, { message: about, person });
    } catch (error) {
      logger.warn({ err: error, namespace: place.namespace, person }, "A person could not be told something");
    }
  };
  return {
    say,
    async sayOnce(to, topic, pauseMs, markdown) {
      const key = `${topic} ${to.place.namespace} ${to.person}`;
      const before = toldAt.get(key);
      if (before !== undefined && clock.now() - before < pauseMs) return;
      toldAt.set(key, clock.now());
      await say(to, markdown);
    },
  };
}
