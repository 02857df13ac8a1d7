import type { APIEmoji } from "discord.js";
import type {
  APIMessage,
  APIMessageSearchIndexNotReadyResponse,
  APIMessageSearchResult,
} from "discord-api-types/v10";
import { ChannelType, PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { ChannelAccess, ChatActions, MessageQuery } from "../../../core/ports/chat-actions.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { isSnowflake, snowflakeAt } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { DiscordAccess } from "./channel-access.ts";
import { belongsTo, readHistory, threadsIn } from "./channel-history.ts";
import type { DiscordContext } from "./discord-context.ts";
import { directPlace, readPlace, readReference, referenceOf } from "./discord-place.ts";
import { emojiPath } from "./emoji.ts";
import { findPeople } from "./find-people.ts";
import { namingMissingPermissions } from "./missing-permissions.ts";
import { isSaid, readMessage } from "./read-thread.ts";
import { linkTo, showMessages } from "./show-message.ts";

/** Maximum servers that are searched for the author of a direct message, and maximum channels listed. */
const maxGuilds = 20;
const maxChannels = 1_000;

/** The agent's actions in Discord other than answering. */
export function createChatActions(context: DiscordContext, clock: Clock): ChatActions {
  const { rest, directory, targets } = context;
  const access = new DiscordAccess(rest, directory, clock);

  const find = async (namespace: string, reference: string) => {
    const { channel, message } = readReference(reference);
    if (!isSnowflake(channel) || !isSnowflake(message)) return undefined;
    if (!(await belongsTo(directory, readPlace({ namespace, thread: "" }), channel))) return undefined;
    const found = await readMessage(rest, channel, message);
    return found === undefined ? undefined : { channel, message: found };
  };
  const needed = async (namespace: string, reference: string) => {
    const found = await find(namespace, reference);
    if (found === undefined) throw new PlatformError("gone", "That message is not there any more.");
    return found;
  };
  const ownEmoji = async (namespace: string) => {
    const { guild } = readPlace({ namespace, thread: "" });
    if (guild === undefined) return [];
    const found = await rest.request<APIEmoji[]>("GET", `/guilds/${guild}/emojis`);
    return found.flatMap(({ id, name }) => (id === null || name === null ? [] : [{ id, name }]));
  };

  return {
    posts: true,
    polls: true,
    access: (namespace, person) => access.of(namespace, person),
    async channels(namespace, person) {
      const { guild } = readPlace({ namespace, thread: "" });
      const guilds = guild === undefined ? (await directory.guilds(true)).slice(0, maxGuilds) : [guild];
      const found: ChannelAccess[] = [];
      for (const id of guilds) found.push(...(await access.readable(id, person)));
      return found
        .slice(0, maxChannels)
        .map(({ write: _, pin: __, ...summary }) => summary)
        .toSorted((a, b) => a.name.localeCompare(b.name));
    },
    async history(place, range) {
      const { messages, more } = await readHistory(context, place, range);
      return { messages: await showMessages(directory, place.namespace, messages), more };
    },
    async search(namespace, query) {
      const found = await searchMessages(context, namespace, query);
      return found && showMessages(directory, namespace, found);
    },
    link: async (namespace, reference) => linkTo(namespace, readReference(reference)),
    async message(namespace, reference) {
      const found = await find(namespace, reference);
      return found === undefined ? undefined : (await showMessages(directory, namespace, [found.message]))[0];
    },
    reference: async (place, message) => referenceOf(await targets.channelOf(place, message), message),
    people: (namespace, wanted) => findPeople(context, access, namespace, wanted),
    async react(namespace, reference, name, on) {
      const { channel, message } = await needed(namespace, reference);
      const emoji = await emojiPath(name, () => ownEmoji(namespace));
      const path = `/channels/${channel}/messages/${message.id}/reactions/${emoji}/@me` as const;
      const react = () =>
        on
          ? rest.request("PUT", path)
          : unlessRefused(rest.request("DELETE", path), RESTJSONErrorCodes.UnknownEmoji);
      const of = PermissionFlagsBits.AddReactions | PermissionFlagsBits.ReadMessageHistory;
      await namingMissingPermissions({ directory, namespace }, "react to messages", react, of);
    },
    async pin(namespace, reference, on) {
      const { channel, message } = await needed(namespace, reference);
      // Source: Discord reference, "Pin Message".
      const path = `/channels/${channel}/messages/pins/${message.id}` as const;
      const pin = () => rest.request(on ? "PUT" : "DELETE", path);
      await namingMissingPermissions(
        { directory, namespace },
        "pin messages",
        pin,
        PermissionFlagsBits.PinMessages,
      );
    },
    async direct(_namespace, person) {
      await directory.directMessage(person);
      return directPlace(person);
    },
  };
}

/** Bounds of the request. Source: Discord reference, "Search Guild Messages". */
const perSearch = 25;
const maxSearchedChannels = 500;
const maxWordsLength = 1_024;
const maxWordsBetween = 100;

const maxSearches = 4;
const maxSearchedPages = 2;

type SearchAnswer = APIMessageSearchResult | APIMessageSearchIndexNotReadyResponse;

/**
 * Searches a channel and its threads with Discord's own search, latest first. Undefined where it is not available: in direct
 * messages, without the Message Content intent, and while Discord builds its index of the server. @throws DiscordProblem
 */
async function searchMessages(
  context: DiscordContext,
  namespace: string,
  wanted: MessageQuery,
): Promise<APIMessage[] | undefined> {
  const place = readPlace({ namespace, thread: "" });
  const { guild, channel } = place;
  if (guild === undefined || channel === undefined) return undefined;
  const query = { ...queryFor(wanted), channel_id: await searchedChannels(context, guild, channel) };
  const found: APIMessage[] = [];
  for (let page = 0; page < maxSearches && found.length < wanted.most; page += 1) {
    const path = `/guilds/${guild}/messages/search` as const;
    const request = context.rest.request<SearchAnswer>("GET", path, {
      query: { ...query, offset: page * perSearch },
    });
    const answer = await unlessRefused(request, "forbidden");
    if (answer === undefined || !("messages" in answer) || answer.doing_deep_historical_index)
      return undefined;
    // Nested because Discord used to send the messages around each result.
    for (const message of answer.messages.flat() as APIMessage[])
      if (isSaid(message) && (await belongsTo(context.directory, place, message.channel_id)))
        found.push(message);
    if (answer.total_results <= (page + 1) * perSearch) break;
  }
  return found.slice(0, wanted.most);
}

function queryFor({ words, author, since, until }: MessageQuery) {
  return {
    limit: perSearch,
    sort_by: "timestamp",
    sort_order: "desc",
    include_nsfw: "true",
    content: beginningOf(words.join(" "), maxWordsLength) || undefined,
    slop: words.length === 0 ? undefined : maxWordsBetween,
    author_id: author,
    min_id: since === undefined ? undefined : String(BigInt(snowflakeAt(since)) - 1n),
    max_id: until === undefined ? undefined : snowflakeAt(until + 1),
  };
}

/** A channel and its latest threads: Discord does not document whether a search of the channel covers them. */
async function searchedChannels(
  { rest, directory }: DiscordContext,
  guild: string,
  channel: string,
): Promise<string[]> {
  const facts = await directory.channel(channel);
  if (facts?.type === ChannelType.PrivateThread) return [channel];
  const { threads } = await threadsIn(rest, { guild, channel }, { pages: maxSearchedPages });
  return [channel, ...threads.map(({ id }) => id)].slice(0, maxSearchedChannels);
}
