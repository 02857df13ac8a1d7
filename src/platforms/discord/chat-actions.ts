import type { APIChannel, APIEmoji, APIMessage } from "discord.js";
import type { ChannelAccess, ChannelMessage, ChatActions } from "../../core/chat-actions.ts";
import { PlatformError } from "../../core/chat-platform.ts";
import { createAccess } from "./channel-access.ts";
import type { ConversationTargets } from "./conversation-targets.ts";
import type { Directory } from "./directory.ts";
import { errorCodes, isSnowflake, isThreadType, snowflakeAt } from "./discord-facts.ts";
import { directPlace, readPlace, readReference, referenceOf } from "./discord-place.ts";
import { DiscordProblem } from "./discord-problem.ts";
import { type DiscordRest, unlessRefused } from "./discord-rest.ts";
import { emojiPath } from "./emoji.ts";
import { createFindPeople } from "./find-people.ts";
import { knownNames } from "./known-names.ts";
import { filesOf, namesIn } from "./parse-message.ts";
import { isSaid } from "./read-thread.ts";
import { readableText } from "./readable-text.ts";

export interface ChatActionsDeps {
  rest: DiscordRest;
  directory: Directory;
  targets: ConversationTargets;
}

/** Messages a request answers at most. Source: Discord reference, "Get Channel Messages". */
const perRequest = 100;
const mostRequests = 20;

/** Servers in which somebody who writes a direct message is looked for. */
const mostGuilds = 20;

/** What the agent does in Discord beside answering. Discord has no search for bots: channels are looked through or indexed. */
export function createChatActions(deps: ChatActionsDeps): ChatActions {
  const { rest, directory, targets } = deps;
  const access = createAccess(deps);

  const find = async (namespace: string, reference: string) => {
    const place = readPlace({ namespace, thread: "" });
    const { channel, message } = readReference(reference);
    if (!isSnowflake(channel) || !isSnowflake(message)) return undefined;
    if (!(await belongsTo(directory, place, channel))) return undefined;
    const found = await unlessGone(
      rest.request<APIMessage>("GET", `/channels/${channel}/messages/${message}`),
    );
    return found === undefined ? undefined : { channel, message: found };
  };
  const needed = async (namespace: string, reference: string) => {
    const found = await find(namespace, reference);
    if (found === undefined) throw new PlatformError("gone", "That message is not there any more.");
    return found;
  };
  const show = (namespace: string, messages: readonly APIMessage[]) =>
    Promise.all(messages.map((message) => showMessage(directory, namespace, message)));

  return {
    posts: true,
    access: (namespace, person) => access.of(namespace, person),
    async channels(namespace, person) {
      const { guild } = readPlace({ namespace, thread: "" });
      const guilds = guild === undefined ? (await directory.guilds(true)).slice(0, mostGuilds) : [guild];
      const found: ChannelAccess[] = [];
      for (const id of guilds) found.push(...(await access.readable(id, person)));
      return found
        .map(({ write: _, pin: __, ...summary }) => summary)
        .toSorted((a, b) => a.name.localeCompare(b.name));
    },
    async history(place, { since, until, most }) {
      const at = readPlace(place);
      const channel = at.thread ?? at.channel ?? (await directory.directMessage(at.person ?? ""));
      const { messages, more } = await readRange(rest, channel, { since, until, most });
      const first = at.thread === undefined || more ? undefined : await rootOf(deps, at.channel, at.thread);
      const isIn = (message: APIMessage) => Date.parse(message.timestamp) >= (since ?? 0);
      const all =
        first !== undefined && isIn(first) && !messages.some(({ id }) => id === first.id)
          ? [first, ...messages]
          : messages;
      return { messages: await show(place.namespace, all.slice(-most)), more };
    },
    link: async (namespace, reference) => linkTo(namespace, readReference(reference)),
    async message(namespace, reference) {
      const found = await find(namespace, reference);
      return found === undefined ? undefined : (await show(namespace, [found.message]))[0];
    },
    reference: async (place, message) => referenceOf(await targets.channelOf(place, message), message),
    people: createFindPeople(deps, access),
    async react(namespace, reference, name, on) {
      const { channel, message } = await needed(namespace, reference);
      const { guild } = readPlace({ namespace, thread: "" });
      const emoji = await emojiPath(name, () => ownEmoji(rest, guild));
      const path = `/channels/${channel}/messages/${message.id}/reactions/${emoji}/@me` as const;
      await unlessRefused(
        rest.request(on ? "PUT" : "DELETE", path),
        ({ discordCode }) => !on && discordCode === errorCodes.unknownEmoji,
      );
    },
    async pin(namespace, reference, on) {
      const { channel, message } = await needed(namespace, reference);
      // Source: Discord reference, "Pin Message". 30021: the channel has as many pins as it may.
      await rest.request(on ? "PUT" : "DELETE", `/channels/${channel}/messages/pins/${message.id}`);
    },
    async direct(_namespace, person) {
      await directory.directMessage(person);
      return directPlace(person);
    },
  };
}

async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  return unlessRefused(request, ({ code }) => code === "gone");
}

/** Whether a channel is the one of a place, or a thread in it. */
async function belongsTo(
  directory: Directory,
  { channel: home, person }: ReturnType<typeof readPlace>,
  channel: string,
): Promise<boolean> {
  if (person !== undefined) return channel === (await directory.directMessage(person));
  if (channel === home) return true;
  const facts = await directory.channel(channel);
  return facts !== undefined && isThreadType(facts.type) && facts.parent_id === home;
}

/** The latest `most` messages of a range, oldest first. */
async function readRange(
  rest: DiscordRest,
  channel: string,
  { since, until, most }: { since?: number | undefined; until?: number | undefined; most: number },
): Promise<{ messages: APIMessage[]; more: boolean }> {
  const found: APIMessage[] = [];
  let before = until === undefined ? undefined : snowflakeAt(until + 1);
  let isOver = false;
  for (let page = 0; page < mostRequests && !isOver && found.length <= most; page += 1) {
    const query = { limit: perRequest, ...(before === undefined ? {} : { before }) };
    const messages = await rest.request<APIMessage[]>("GET", `/channels/${channel}/messages`, { query });
    const inRange = messages.filter(({ timestamp }) => Date.parse(timestamp) >= (since ?? 0));
    found.push(...inRange.filter(isSaid));
    before = messages.at(-1)?.id;
    isOver = messages.length < perRequest || inRange.length < messages.length;
  }
  return { messages: found.slice(0, most).reverse(), more: found.length > most || !isOver };
}

/** The message a thread begins with stands in the channel above it. */
async function rootOf(
  { rest, directory }: ChatActionsDeps,
  channel: string | undefined,
  thread: string,
): Promise<APIMessage | undefined> {
  if (channel === undefined) return undefined;
  const facts = await directory.channel(channel);
  // Posts of forums begin in their own thread.
  if (facts === undefined || facts.type > 5) return undefined;
  return unlessGone(rest.request<APIMessage>("GET", `/channels/${channel}/messages/${thread}`));
}

async function ownEmoji(rest: DiscordRest, guild: string | undefined) {
  if (guild === undefined) return [];
  const found = await rest.request<APIEmoji[]>("GET", `/guilds/${guild}/emojis`);
  return found.flatMap(({ id, name }) => (id === null || name === null ? [] : [{ id, name }]));
}

async function showMessage(
  directory: Directory,
  namespace: string,
  message: APIMessage & { thread?: APIChannel & { message_count?: number } },
): Promise<ChannelMessage> {
  const { guild, channel } = readPlace({ namespace, thread: "" });
  const { id, author, channel_id, thread } = message;
  const [{ id: self }, member] = await Promise.all([
    directory.self(),
    guild === undefined ? undefined : directory.member(guild, author.id).catch(unknownMember),
  ]);
  const isBot = author.bot === true || message.webhook_id !== undefined;
  const of = channel_id === channel ? thread?.id : channel_id;
  const replies = thread?.message_count ?? 0;
  return {
    id: referenceOf(channel_id, id),
    author: {
      id: author.id,
      name: member?.name ?? author.global_name ?? author.username,
      bot: isBot,
      self: author.id === self,
    },
    text: readableText(message.content, namesIn(message, knownNames(directory, guild))),
    at: Date.parse(message.timestamp),
    files: filesOf(message),
    link: linkTo(namespace, { channel: channel_id, message: id }),
    ...(of === undefined || channel === undefined ? {} : { thread: of }),
    ...(replies > 0 ? { replies } : {}),
    ...(guild !== undefined && member === undefined && !isBot ? { outside: true as const } : {}),
  };
}

function linkTo(namespace: string, { channel, message }: { channel: string; message: string }): string {
  const { guild = "@me" } = readPlace({ namespace, thread: "" });
  return `https://discord.com/channels/${guild}/${channel}/${message}`;
}

function unknownMember(error: unknown): undefined {
  if (error instanceof DiscordProblem) return undefined;
  throw error;
}
