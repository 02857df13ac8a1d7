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
import type { TurnPorts } from "../../core/scope/turn.ts";
import { isDirectMessage, type Place, type PlaceDescription, webChat } from "../../core/values/place.ts";

interface PlaceDescriberDeps extends Pick<TurnPorts, "clock" | "report"> {
  platforms: ChatPlatforms;
  /** How chat platforms show long tables and answers, for the model. */
  shaping(limits: PlatformLimits): string;
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

export type PlaceDescriber = ReturnType<typeof createPlaceDescriber>;

/** Describes the place of a conversation. The same for all threads of a channel. */
export function createPlaceDescriber(deps: PlaceDescriberDeps) {
  const { platforms } = deps;
  const nameIn = createNameReader(deps);
  return {
    /**
     * The place with its name. Never rejects and waits at most 2 s; when the platform does not answer in time, the last known name is used,
     * if any.
     */
    async describe({ namespace }: Pick<Place, "namespace">): Promise<PlaceDescription> {
      const platform = platforms.of(namespace);
      const where = platform?.writing.name ?? webChat;
      const place = { platform: where, id: namespace };
      if (isDirectMessage(namespace)) return { ...place, kind: "direct_message" };
      const name = platform === undefined ? channelOf(namespace) : await nameIn(platform, namespace);
      return { ...place, kind: "channel", name };
    },
    /** How answers are written there. */
    writing({ namespace }: Pick<Place, "namespace">): PlatformWriting {
      const platform = platforms.of(namespace);
      if (platform === undefined) return webWriting;
      const { writing, limits } = platform;
      return { ...writing, formatting: `${writing.formatting} ${deps.shaping(limits)}` };
    },
  };
}

function createNameReader({ clock, report }: PlaceDescriberDeps) {
  /** `until`: when it is asked for again, ms since the epoch. */
  const known = new LRUCache<string, { name: string | undefined; until: number }>(growingTo(maxCached));
  /** Those under way. */
  const lookups = new Map<string, { began: number; done: Promise<unknown> }>();

  const look = async (platform: ChatPlatform, namespace: string): Promise<void> => {
    const found = await askPlatform(platform, namespace, report);
    const name = found ?? known.get(namespace)?.name;
    known.set(namespace, { name, until: clock.now() + (found === undefined ? retryDelayMs : cacheMs) });
    lookups.delete(namespace);
  };

  return async (platform: ChatPlatform, namespace: string): Promise<string | undefined> => {
    const before = known.get(namespace);
    if (before === undefined || before.until <= clock.now()) {
      const under = lookups.get(namespace) ?? { began: clock.now(), done: look(platform, namespace) };
      lookups.set(namespace, under);
      const left = under.began + maxWaitMs - clock.now();
      if (left > 0) await unlessLate(left, clock, under.done);
    }
    return known.get(namespace)?.name;
  };
}

/** Asks for the name of the channel, never of a thread in it. Undefined when the platform does not answer. */
async function askPlatform(
  platform: ChatPlatform,
  namespace: string,
  report: PlaceDescriberDeps["report"],
): Promise<string | undefined> {
  try {
    const { name } = await platform.describe({ namespace, thread: channelThread });
    return name || undefined;
  } catch (error) {
    report(error, "describing a channel");
    return undefined;
  }
}

function channelOf(namespace: string): string {
  return namespace.slice(namespace.lastIndexOf(":") + 1);
}
