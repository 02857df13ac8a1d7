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
import { isSnowflake, snowflakeAt } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { type AccessDeps, createAccess } from "./channel-access.ts";
import { belongsTo, readHistory, threadsIn } from "./channel-history.ts";
import { directPlace, readPlace, readReference, referenceOf } from "./discord-place.ts";
import { emojiPath } from "./emoji.ts";
import { createFindPeople } from "./find-people.ts";
import { namingMissingPermissions } from "./missing-permissions.ts";
import { isSaid, type ReadDeps, readMessage } from "./read-thread.ts";
import { linkTo, showMessages } from "./show-message.ts";

export type ChatActionsDeps = AccessDeps & ReadDeps;

/** Maximum servers that are searched for the author of a direct message, and maximum channels listed. */
const maxGuilds = 20;
const maxChannels = 1_000;

/** The agent's actions in Discord other than answering. */
export function createChatActions(deps: ChatActionsDeps): ChatActions {
  const { rest, directory, targets } = deps;
  const access = createAccess(deps);

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
      const { messages, more } = await readHistory(deps, place, range);
      return { messages: await showMessages(directory, place.namespace, messages), more };
    },
    async search(namespace, query) {
      const found = await searchMessages(deps, namespace, query);
      return found === undefined ? undefined : showMessages(directory, namespace, found);
    },
    link: async (namespace, reference) => linkTo(namespace, readReference(reference)),
    async message(namespace, reference) {
      const found = await find(namespace, reference);
      return found === undefined ? undefined : (await showMessages(directory, namespace, [found.message]))[0];
    },
    reference: async (place, message) => referenceOf(await targets.channelOf(place, message), message),
    people: createFindPeople(deps, access),
    async react(namespace, reference, name, on) {
      const { channel, message } = await needed(namespace, reference);
      const emoji = await emojiPath(name, () => ownEmoji(namespace));
      const path = `/channels/${channel}/messages/${message.id}/reactions/${emoji}/@me` as const;
      const react = () =>
        unlessRefused(
          rest.request(on ? "PUT" : "DELETE", path),
          ({ discordCode }) => !on && discordCode === RESTJSONErrorCodes.UnknownEmoji,
        );
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
  deps: ReadDeps,
  namespace: string,
  wanted: MessageQuery,
): Promise<APIMessage[] | undefined> {
  const place = readPlace({ namespace, thread: "" });
  const { guild, channel } = place;
  if (guild === undefined || channel === undefined) return undefined;
  const query = { ...queryFor(wanted), channel_id: await searchedChannels(deps, guild, channel) };
  const found: APIMessage[] = [];
  for (let page = 0; page < maxSearches && found.length < wanted.most; page += 1) {
    const path = `/guilds/${guild}/messages/search` as const;
    const request = deps.rest.request<SearchAnswer>("GET", path, {
      query: { ...query, offset: page * perSearch },
    });
    const answer = await unlessRefused(request, ({ code }) => code === "forbidden");
    if (answer === undefined || !("messages" in answer) || answer.doing_deep_historical_index)
      return undefined;
    // Nested because Discord used to send the messages around each result.
    for (const message of answer.messages.flat() as APIMessage[])
      if (isSaid(message) && (await belongsTo(deps.directory, place, message.channel_id)))
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
    ...(words.length === 0
      ? {}
      : { content: beginningOf(words.join(" "), maxWordsLength), slop: maxWordsBetween }),
    ...(author === undefined ? {} : { author_id: author }),
    ...(since === undefined ? {} : { min_id: String(BigInt(snowflakeAt(since)) - 1n) }),
    ...(until === undefined ? {} : { max_id: snowflakeAt(until + 1) }),
  };
}

/** A channel and its latest threads: Discord does not document whether a search of the channel covers them. */
async function searchedChannels(
  { rest, directory }: ReadDeps,
  guild: string,
  channel: string,
): Promise<string[]> {
  const facts = await directory.channel(channel);
  if (facts?.type === ChannelType.PrivateThread) return [channel];
  const { threads } = await threadsIn(rest, { guild, channel }, { pages: maxSearchedPages });
  return [channel, ...threads.map(({ id }) => id)].slice(0, maxSearchedChannels);
}
