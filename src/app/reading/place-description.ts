/** What turns are told of a place and its people: its description, its pinned facts, and the roles of a person. */

import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import { unlessLate } from "../../base/time-limit.ts";
import type { ChatActions } from "../../core/ports/chat-actions.ts";
import {
  type ChatPlatform,
  type ChatPlatforms,
  channelThread,
  PlatformError,
  type PlatformLimits,
  type PlatformWriting,
} from "../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { RolesOf } from "../../core/skill/skill-identifier.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { type Json, objectOf } from "../../core/values/json.ts";
import {
  isDirectMessage,
  type Place,
  type PlaceDescription,
  placeLine,
  webChat,
} from "../../core/values/place.ts";
import type { PinnedFact, WhereText } from "../../core/values/profile.ts";

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

/**
 * Describes the place of a conversation. The same for all threads of a channel.
 * @param shaping how chat platforms show long tables and answers, for the model
 */
export function createPlaceDescriber(
  platforms: ChatPlatforms,
  clock: Clock,
  report: TurnPorts["report"],
  shaping: (limits: PlatformLimits) => string,
) {
  const nameIn = createNameReader(clock, report);
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
      return { ...writing, formatting: `${writing.formatting} ${shaping(limits)}` };
    },
  };
}

function createNameReader(clock: Clock, report: TurnPorts["report"]) {
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
  report: TurnPorts["report"],
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

let orList: Intl.ListFormat | undefined;

/** The limits of the agent on a platform, as the end of a sentence that begins with “You cannot”. */
function cannotOn(actions: ChatActions | undefined): string {
  if (actions === undefined) return "see other channels and threads, post elsewhere, or react to messages";
  const missing = [
    ...(actions.people === undefined ? ["look up or notify people"] : []),
    ...(actions.react === undefined ? ["react"] : []),
    ...(actions.pin === undefined ? ["pin"] : []),
    ...(actions.posts ? [] : ["post elsewhere"]),
    ...(actions.people === undefined ? [] : ["notify everyone at once", "act where you were not invited"]),
  ];
  orList ??= new Intl.ListFormat("en", { type: "disjunction" });
  return orList.format(missing);
}

/**
 * Describes the place of a message for the instructions, in the same words for all messages of a channel. In a direct message the
 * person is part of the place.
 */
export function createWhere(
  describer: ReturnType<typeof createPlaceDescriber>,
  botName: string,
  actionsOf: (namespace: string) => ChatActions | undefined,
): (inbound: Pick<Inbound, "namespace" | "author">) => Promise<WhereText> {
  return async ({ namespace, author }) => {
    const person = isDirectMessage(namespace) ? author : undefined;
    const { formatting, mentions } = describer.writing({ namespace });
    const description = await describer.describe({ namespace });
    return {
      place: placeLine(description, { bot: botName, person }),
      unnamed: description.kind === "channel" && description.name === undefined ? true : undefined,
      formatting: `${formatting} ${mentions}`,
      cannot: cannotOn(actionsOf(namespace)),
    };
  };
}

/** Reads the facts that people pinned in a channel. The skill `memory` stores them, see `skills/memory/fact.ts`. */
export function createPinnedFacts(store: Pick<KeyValue, "get">) {
  return async (namespace: string): Promise<PinnedFact[]> => {
    const pinned = await store.get(`skill:${namespace}:memory:pinned`);
    return Array.isArray(pinned) ? pinned.flatMap((fact) => pinnedFact(fact) ?? []) : [];
  };
}

function pinnedFact(stored: Json): PinnedFact | undefined {
  const { text, by } = objectOf(stored);
  return typeof text === "string" && typeof by === "string" ? { text, by } : undefined;
}

/**
 * The current roles of a person on the platform. Empty without a platform, or while it does not answer; rights by role then do not apply.
 */
export function createRolesOf(platforms: ChatPlatforms): RolesOf {
  return async (place, person) => {
    try {
      return (await platforms.of(place.namespace)?.person(place, person))?.roles ?? [];
    } catch (error) {
      if (error instanceof PlatformError) return [];
      throw error;
    }
  };
}
