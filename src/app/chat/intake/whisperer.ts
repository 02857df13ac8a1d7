import { LRUCache } from "lru-cache";
import { growingTo } from "../../../base/growing-cache.ts";
import type { ChatPlatform } from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";

/** The recipient of a whisper, and the platform's id of their message, command or press. */
export interface Listener {
  place: Place;
  person: string;
  about: string;
}

/** Posts texts that only one person sees. Never throws: a failed whisper is logged, and nothing depends on it. */
export interface Whisperer {
  say(to: Listener, markdown: string): Promise<void>;
  /** Posts it unless this person was told about this topic in this channel less than `pauseMs` ago. */
  sayOnce(to: Listener, topic: string, pauseMs: number, markdown: string): Promise<void>;
}

/** Maximum combinations of person and topic kept in memory. */
const maxInMemory = 10_000;

export function createWhisperer(platform: ChatPlatform, clock: Clock, logger: Log): Whisperer {
  const toldAt = new LRUCache<string, number>(growingTo(maxInMemory));
  const say: Whisperer["say"] = async ({ place, person, about }, markdown) => {
    try {
      await platform.whisper(place, person, { markdown }, { message: about, person });
    } catch (error) {
      logger.warn(
        { err: error, namespace: place.namespace, person },
        "A private message to a person could not be posted",
      );
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
