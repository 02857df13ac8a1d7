import type { ChatPlatform, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { ExpiringEntries } from "../expiring-entries.ts";

/** The recipient of a whisper, and the platform's id of their message, command or press. */
export interface Listener {
  place: Place;
  person: string;
  about: string;
}

/** Posts texts that only one person sees. Never throws: a failed whisper is logged, and nothing depends on it. */
export type Whisperer = ReturnType<typeof createWhisperer>;

/** The topic of a message. Contains its text: after an edit, the decision about it is told again. */
export function topicOf({ key, text }: { key: string; text: string }): string {
  return `${key} ${text}`;
}

/** Slack delivers a mention as two events, and an event again if it was not acknowledged. */
const sameMessageMs = 10 * 60_000;

export function createWhisperer(platform: ChatPlatform, store: KeyValue, clock: Clock, logger: Log) {
  const told = new ExpiringEntries(store, clock, "chat-told", { groups: 64, most: 128 }, (error) =>
    logger.warn({ err: error }, "It could not be stored that a person was told something"),
  );
  const say = async (
    { place, person, about }: Listener,
    markdown: string,
    more?: Pick<OutgoingMessage, "closes">,
  ): Promise<void> => {
    try {
      await platform.whisper(place, person, { markdown, ...more }, { message: about, person });
    } catch (error) {
      logger.warn(
        { err: error, namespace: place.namespace, person },
        "A private message to a person could not be posted",
      );
    }
  };
  const wasTold = async (id: string, pauseMs: number): Promise<boolean> => {
    if ((await told.get(id)) !== undefined) return true;
    const before = await told.change(id, (entry) => entry ?? { until: clock.now() + pauseMs });
    return before !== undefined;
  };
  return {
    say,
    /**
     * Posts it unless this person was told about this topic in this channel less than `pauseMs` ago, by this process or another. Default:
     * the time within which several processes may hear of the same message.
     */
    async sayOnce(to: Listener, topic: string, markdown: string, pauseMs = sameMessageMs): Promise<void> {
      const id = `${topic} ${to.place.namespace} ${to.person}`;
      if (!(await wasTold(id, pauseMs))) await say(to, markdown);
    },
  };
}
