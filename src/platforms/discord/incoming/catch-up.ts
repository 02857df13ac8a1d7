import type { APIMessage } from "discord.js";
import type { Log } from "../../../core/ports/storage.ts";
import type { Directory } from "../channel/directory.ts";
import type { ChannelFacts } from "../channel/directory-facts.ts";
import { botMissingPermissions } from "../channel/missing-permissions.ts";
import { channelTypes, isThreadType, snowflakeAt } from "../connection/discord-facts.ts";
import { type DiscordPlace, readPlace } from "../connection/discord-place.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { type HeardShards, hears, partsOf } from "../connection/heard-shards.ts";
import { type ReceiveDeps, receiveMessage } from "./receive-messages.ts";

export interface CatchUpDeps extends ReceiveDeps {
  rest: DiscordRest;
  logger: Log;
}

/** Limits of one fetch of missed messages. */
const limits = { channels: 200, directMessages: 50, pages: 3 };
const perPage = 100;

/**
 * Hands in the messages of a time in which these shards were not connected, oldest first. A channel names its last message, so only
 * channels with new messages are read. Channels that are gone or closed to the bot are skipped. @throws when Discord cannot be reached, or
 * a message could not be stored
 */
export async function catchUp(deps: CatchUpDeps, shards: HeardShards): Promise<void> {
  const { since, places } = await deps.intake.missed("discord", partsOf(shards));
  const after = snowflakeAt(since);
  const ours = places.map(readPlace).filter(({ guild }) => hears(shards, guild));
  for (const { id, guild_id } of await channelsWithNews(deps, shards, ours, after)) {
    await unlessRefused(
      readChannel(deps, id, guild_id, after),
      ({ code }) => code === "gone" || code === "forbidden",
    );
  }
}

type Readable = Pick<ChannelFacts, "id" | "guild_id">;

async function channelsWithNews(
  { directory }: CatchUpDeps,
  shards: HeardShards,
  places: readonly DiscordPlace[],
  after: string,
): Promise<Readable[]> {
  const isNews = (id: string | undefined) => id !== undefined && BigInt(id) > BigInt(after);
  const read: readonly number[] = [channelTypes.text, channelTypes.announcement, channelTypes.voice];
  const fresh = directory
    .knownChannels()
    .filter(({ guild_id }) => hears(shards, guild_id))
    .filter(
      ({ type, last_message_id }) => (read.includes(type) || isThreadType(type)) && isNews(last_message_id),
    )
    .sort((a, b) => (BigInt(a.last_message_id ?? 0) < BigInt(b.last_message_id ?? 0) ? 1 : -1))
    .slice(0, limits.channels);
  const found = new Map<string, Readable>(fresh.map((channel) => [channel.id, channel]));
  for (const { guild, channel = "", thread } of places) {
    const id = thread ?? channel;
    const isUnseen =
      guild !== undefined && found.size < limits.channels && directory.knownChannel(id) === undefined;
    // A thread's id may be that of a message without a thread; a request for its messages then answers that it is gone.
    if (isUnseen) found.set(id, { id, guild_id: guild });
  }
  const people = new Set(places.flatMap(({ person }) => (person === undefined ? [] : [person])));
  for (const person of [...people].slice(0, limits.directMessages)) {
    const id = await unlessRefused(directory.directMessage(person), ({ code }) => code !== "unavailable");
    if (id !== undefined) found.set(id, { id, guild_id: undefined });
  }
  const readable = await Promise.all([...found.values()].map((channel) => mayRead(directory, channel)));
  return [...found.values()].filter((_, index) => readable[index]);
}

/** Discord counts refused requests against the bot. */
async function mayRead(directory: Directory, { id, guild_id }: Readable): Promise<boolean> {
  if (guild_id === undefined || directory.knownChannel(id) === undefined) return true;
  const lacks = await botMissingPermissions(directory, guild_id, id);
  return !lacks.some(({ name }) => name === "View Channel" || name === "Read Message History");
}

async function readChannel(
  deps: CatchUpDeps,
  channel: string,
  guild: string | undefined,
  after: string,
): Promise<void> {
  let from = after;
  for (let page = 0; page < limits.pages; page += 1) {
    const query = { limit: perPage, after: from };
    const messages = await deps.rest.request<APIMessage[]>("GET", `/channels/${channel}/messages`, { query });
    for (const message of messages.toReversed()) {
      await receiveMessage(deps, { ...message, guild_id: guild }, true);
    }
    from = messages[0]?.id ?? from;
    if (messages.length < perPage) return;
  }
  deps.logger.info({ channel }, "Discord: a channel has more missed messages than are fetched");
}
