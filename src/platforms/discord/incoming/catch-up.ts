import { ChannelType } from "discord-api-types/v10";
import type { ChatIntake, ChatMessage } from "../../../app/chat/chat-intake.ts";
import {
  type CatchUpGate,
  createCatchUpGate,
  unlessHopeless,
} from "../../../app/chat/intake/catch-up-gate.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Directory } from "../channel/directory.ts";
import type { ChannelFacts } from "../channel/directory-facts.ts";
import type { DiscordContext } from "../channel/discord-context.ts";
import { type DiscordPlace, readPlace } from "../channel/discord-place.ts";
import { botMissingPermissions } from "../channel/missing-permissions.ts";
import { perRequest, readPage } from "../channel/read-thread.ts";
import { isThreadType, snowflakeAt } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { type HeardShards, hears, partsOf } from "../connection/heard-shards.ts";
import { receiveMessage } from "./receive-messages.ts";

/** A fetch of missed messages: those after this one. */
interface Fetch extends DiscordContext {
  intake: ChatIntake;
  logger: Log;
  gate: CatchUpGate;
  after: string;
}

/** Fetches missed messages, and keeps live ones behind them. @param signal ends their waiting */
export function createCatchUp(
  context: DiscordContext,
  intake: ChatIntake,
  clock: Clock,
  logger: Log,
  signal: AbortSignal,
) {
  const { directory } = context;
  const gate: CatchUpGate = createCatchUpGate(clock, logger, signal);
  let begun = Promise.withResolvers<Fetch>();
  const readEarly = async (room: Readable, parent: string | undefined) => {
    const fetch = await begun.promise;
    // A thread has the id of the message that began it.
    if (parent !== undefined && isAfter(room.id, fetch.after)) await readOnce(fetch, { ...room, id: parent });
    await readIfOpen(fetch, room);
  };
  const message = async (said: ChatMessage) => {
    const { guild, channel = "", thread, person } = readPlace(said.place);
    // A conversation of replies has no channel of its own.
    const parent = thread !== undefined && directory.knownChannel(thread) ? channel : undefined;
    const id = person === undefined ? (parent && thread) || channel : await directory.directMessage(person);
    await gate.before(said, id, () => readEarly({ id, guild_id: guild }, parent));
    await intake.message(said);
  };
  return {
    /** The intake for events. A message in a thread waits until what was missed before it there is handed in. */
    live: { ...intake, message },
    /** Messages were missed: live ones wait until `caughtUp`. */
    missing: () => gate.close(),
    /**
     * Hands in the messages of a time in which these shards were not connected, oldest first. A channel names its last message, so only
     * channels with new messages are read. Channels that are gone or closed to the bot are skipped. @throws when Discord cannot be
     * reached, or a message could not be stored
     */
    async fetch(shards: HeardShards): Promise<void> {
      const { since, places } = await intake.missed("discord", partsOf(shards));
      const fetch = { ...context, intake, logger, gate, after: snowflakeAt(since) };
      begun.resolve(fetch);
      const ours = places.map(readPlace).filter(({ guild }) => hears(shards, guild));
      for (const channel of await channelsWithNews(fetch, shards, ours)) await readOnce(fetch, channel);
    },
    caughtUp(): void {
      gate.open();
      begun = Promise.withResolvers();
    },
  };
}

const isAfter = (id: string, after: string) => BigInt(id) > BigInt(after);

const readOnce = (fetch: Fetch, channel: Readable) =>
  fetch.gate.read(channel.id, () => readIfOpen(fetch, channel));

async function readIfOpen(fetch: Fetch, channel: Readable): Promise<void> {
  if (await mayRead(fetch.directory, channel)) await readChannel(fetch, channel);
}

type Readable = Pick<ChannelFacts, "id" | "guild_id">;

/** Channels and threads with messages after this one, places in use first. Discord lists them: cached facts expire within a minute. */
async function channelsWithNews(
  { directory, after }: Fetch,
  shards: HeardShards,
  places: readonly DiscordPlace[],
): Promise<Readable[]> {
  const isNews = (id: string | undefined) => id !== undefined && isAfter(id, after);
  const listed = new Map<string, ChannelFacts>();
  const used = places.flatMap(({ guild }) => (guild === undefined ? [] : [guild]));
  for (const guild of new Set([...used, ...(await directory.guilds(true))])) {
    if (!hears(shards, guild)) continue;
    const lists = Promise.all([directory.channelsOf(guild), directory.threadsOf(guild)]);
    for (const channel of ((await unlessRefused(lists, ...closed)) ?? []).flat())
      listed.set(channel.id, channel);
  }
  const found = new Map<string, Readable>();
  for (const { guild, channel = "", thread } of places) {
    const id = thread ?? channel;
    const facts = listed.get(id);
    // A thread that is not listed is archived, or its id is that of a message without a thread: then reading it is refused.
    if (guild !== undefined && (facts === undefined || isNews(facts.last_message_id)))
      found.set(id, { id, guild_id: guild });
  }
  const fresh = [...listed.values()]
    .filter(({ type, last_message_id }) => isRead(type) && isNews(last_message_id))
    .toSorted((a, b) => (BigInt(a.last_message_id ?? 0) < BigInt(b.last_message_id ?? 0) ? 1 : -1));
  for (const { id, guild_id } of fresh) found.set(id, { id, guild_id });
  for (const id of await directChannels(directory, places)) found.set(id, { id, guild_id: undefined });
  // The messages of a channel begin its threads, so they come before those of the threads.
  return [...found.values()].toSorted((a, b) => Number(isThread(listed, a)) - Number(isThread(listed, b)));
}

/** Refusals that a later attempt would meet again. */
const permanent = ["gone", "forbidden", "invalid", "too_large", "blocked"] as const;

/** The channels of the direct messages with the people of these places. */
async function directChannels(directory: Directory, places: readonly DiscordPlace[]): Promise<string[]> {
  const found: string[] = [];
  const people = new Set(places.flatMap(({ person }) => (person === undefined ? [] : [person])));
  for (const person of people) {
    const id = await unlessRefused(directory.directMessage(person), ...permanent);
    if (id !== undefined) found.push(id);
  }
  return found;
}

const closed = ["gone", "forbidden"] as const;

function isRead(type: number): boolean {
  const read: readonly number[] = [
    ChannelType.GuildText,
    ChannelType.GuildAnnouncement,
    ChannelType.GuildVoice,
  ];
  return read.includes(type) || isThreadType(type);
}

function isThread(listed: ReadonlyMap<string, ChannelFacts>, { id, guild_id }: Readable): boolean {
  const facts = listed.get(id);
  return guild_id !== undefined && (facts === undefined || isThreadType(facts.type));
}

/** Discord counts refused requests against the bot. */
async function mayRead(directory: Directory, { id, guild_id }: Readable): Promise<boolean> {
  if (guild_id === undefined || directory.knownChannel(id) === undefined) return true;
  const lacks = await unlessRefused(botMissingPermissions(directory, guild_id, id), ...closed);
  return !lacks?.some(({ name }) => name === "View Channel" || name === "Read Message History");
}

async function readChannel(fetch: Fetch, { id, guild_id }: Readable): Promise<void> {
  let from = fetch.after;
  for (;;) {
    const page = readPage(fetch.rest, id, { limit: perRequest, after: from });
    const messages = (await unlessRefused(page, ...closed)) ?? [];
    for (const message of messages.toReversed()) {
      if (fetch.gate.isLive(id, Date.parse(message.timestamp))) continue;
      await unlessHopeless(fetch.logger, () =>
        receiveMessage(fetch, fetch.intake, { ...message, guild_id }, true),
      );
    }
    from = messages[0]?.id ?? from;
    if (messages.length < perRequest) return;
  }
}
