import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import { unlessLate } from "../../base/time-limit.ts";
import {
  type ChatPlatform,
  type ChatPlatforms,
  channelThread,
  type PlatformLimits,
  type PlatformWriting,
} from "../../core/ports/chat-platform.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { isDirectMessage, type Place, type PlaceDescription, webChat } from "../../core/values/place.ts";

/** Describes the place of a conversation. The same for all threads of a channel. */
export interface PlaceDescriber {
  /**
   * The name and topic of the place. Never rejects and waits at most 2 s; when the platform does not answer in time, the last known values
   * are used, if any.
   */
  describe(place: Pick<Place, "namespace">): Promise<PlaceDescription>;
  /** How answers are written there. */
  writing(place: Pick<Place, "namespace">): PlatformWriting;
}

export interface PlaceDescriberDeps {
  platforms: ChatPlatforms;
  clock: Pick<Clock, "now" | "after">;
  /** How chat platforms show long tables and answers, for the model. */
  shaping(limits: PlatformLimits): string;
  /** An unexpected error; the place is described as far as it is known. */
  report(error: unknown, where: string): void;
}

type Names = Pick<PlaceDescription, "name" | "topic">;

interface KnownNames extends Names {
  /** When they are asked for again, ms since the epoch. */
  until: number;
}

/** A look-up under way. */
interface Lookup {
  began: number;
  done: Promise<unknown>;
}

/** Maximum wait of turns for one look-up, ms. */
const maxWaitMs = 2_000;
/** How long a name is cached, ms. */
const cacheMs = 10 * 60_000;
/** Delay before a failed look-up is retried, ms. */
const retryDelayMs = 60_000;
/** Maximum channels whose names are cached. */
const maxCached = 1_000;

/** How the console and the terminal show an answer. */
const webWriting: PlatformWriting = {
  name: webChat,
  formatting: "Write standard Markdown without HTML and formulas.",
  mentions: "Write people's names as plain text.",
};

export function createPlaceDescriber(deps: PlaceDescriberDeps): PlaceDescriber {
  const { platforms } = deps;
  const namesIn = createNamesReader(deps);
  return {
    async describe({ namespace }) {
      const platform = platforms.of(namespace);
      const where = platform?.writing.name ?? webChat;
      if (isDirectMessage(namespace)) return { platform: where, kind: "direct_message" };
      const names =
        platform === undefined ? { name: channelOf(namespace) } : await namesIn(platform, namespace);
      return { platform: where, kind: "channel", ...names };
    },
    writing({ namespace }) {
      const platform = platforms.of(namespace);
      if (platform === undefined) return webWriting;
      return {
        ...platform.writing,
        formatting: `${platform.writing.formatting} ${deps.shaping(platform.limits)}`,
      };
    },
  };
}

function createNamesReader({ clock, report }: PlaceDescriberDeps) {
  const known = new LRUCache<string, KnownNames>(growingTo(maxCached));
  const lookups = new Map<string, Lookup>();

  const look = async (platform: ChatPlatform, namespace: string): Promise<void> => {
    const found = await askPlatform(platform, namespace, report);
    const names = found.name === undefined ? known.get(namespace) : found;
    const until = clock.now() + (found.name === undefined ? retryDelayMs : cacheMs);
    known.set(namespace, { name: names?.name, topic: names?.topic, until });
    lookups.delete(namespace);
  };

  return async (platform: ChatPlatform, namespace: string): Promise<Names> => {
    const before = known.get(namespace);
    if (before === undefined || before.until <= clock.now()) {
      const under = lookups.get(namespace) ?? { began: clock.now(), done: look(platform, namespace) };
      lookups.set(namespace, under);
      const left = under.began + maxWaitMs - clock.now();
      if (left > 0) await unlessLate(left, clock, under.done);
    }
    const { name, topic } = known.get(namespace) ?? {};
    return { ...(name === undefined ? {} : { name }), ...(topic === undefined ? {} : { topic }) };
  };
}

/** Asks for the channel, never for a thread in it. Empty when the platform does not answer. */
async function askPlatform(
  platform: ChatPlatform,
  namespace: string,
  report: PlaceDescriberDeps["report"],
): Promise<Names> {
  try {
    const { name, topic } = await platform.describe({ namespace, thread: channelThread });
    return { name: name || undefined, topic: topic || undefined };
  } catch (error) {
    report(error, "describing a channel");
    return {};
  }
}

function channelOf(namespace: string): string {
  return namespace.slice(namespace.lastIndexOf(":") + 1);
}
