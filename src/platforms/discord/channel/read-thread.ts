import type { APIMessage } from "discord.js";
import { MessageType } from "discord-api-types/v10";
import type { ThreadMessage } from "../../../core/ports/chat-actions.ts";
import type { Place } from "../../../core/values/place.ts";
import { isForumType, isSnowflake } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { Directory } from "./directory.ts";
import { displayName } from "./directory-facts.ts";
import type { DiscordContext } from "./discord-context.ts";
import { readPlace } from "./discord-place.ts";
import { knownNames } from "./known-names.ts";
import { filesOf, namesIn } from "./parse-message.ts";
import { readableText } from "./readable-text.ts";
import { saidText } from "./said-text.ts";

/** Maximum messages per request. */
export const perRequest = 100;
/** Maximum replies that are followed back. */
const maxChain = 10;

/** The latest messages of a conversation, oldest first. @throws DiscordProblem */
export async function readThread(
  context: DiscordContext,
  place: Place,
  limit: number,
): Promise<ThreadMessage[]> {
  const { directory, targets } = context;
  const { channel, root } = await targets.look(place);
  const messages =
    root === undefined
      ? await threadMessages(context, place, channel, limit)
      : await chainMessages(context, place, channel, root);
  const { id: botId } = await directory.self();
  const { guild } = readPlace(place);
  if (guild !== undefined) await directory.learnNames(guild);
  return messages
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    .slice(-limit)
    .map((message) => threadMessage(message, botId, directory));
}

async function threadMessages(
  context: DiscordContext,
  place: Place,
  channel: string,
  limit: number,
): Promise<APIMessage[]> {
  const found: APIMessage[] = [];
  let before: string | undefined;
  while (found.length < limit) {
    const query = { limit: Math.min(perRequest, limit - found.length), before };
    const page = await readPage(context.rest, channel, query);
    found.push(...page);
    before = page.at(-1)?.id;
    if (page.length < query.limit) break;
  }
  const { thread, channel: parent = "" } = readPlace(place);
  const said = found.filter(isSaid);
  if (thread !== channel || found.length >= limit || found.some(({ id }) => id === thread)) return said;
  return [...said, (await rootOf(context, parent, thread)) ?? []].flat();
}

/** The messages of a channel, latest first, at most 100. Source: Discord reference, "Get Channel Messages". @throws DiscordProblem */
export function readPage(
  rest: DiscordRest,
  channel: string,
  query: { limit: number; before?: string | undefined; after?: string },
): Promise<APIMessage[]> {
  return rest.request<APIMessage[]>("GET", `/channels/${channel}/messages`, { query });
}

/** The first message of a thread is in the channel above it; a forum post begins in its own thread. */
export async function rootOf(
  { rest, directory }: DiscordContext,
  channel: string,
  thread: string,
): Promise<APIMessage | undefined> {
  const facts = await directory.channel(channel);
  if (facts === undefined || isForumType(facts.type)) return undefined;
  return readMessage(rest, channel, thread);
}

/** A conversation without a thread: the messages its first message replies to, and all replies that lead back to it. */
export async function chainMessages(
  { rest, chains }: DiscordContext,
  place: Place,
  channel: string,
  root: string,
): Promise<APIMessage[]> {
  const latest = await readPage(rest, channel, { limit: perRequest });
  const members = new Set([root, ...(await chains.messagesOf(channel, place.thread))]);
  const chain: APIMessage[] = [];
  for (const message of latest.toReversed()) {
    const answersOne = members.has(message.message_reference?.message_id ?? "");
    if (!members.has(message.id) && !answersOne) continue;
    members.add(message.id);
    chain.push(message);
  }
  const first = chain.find(({ id }) => id === root) ?? (await readMessage(rest, channel, root));
  if (first !== undefined && !chain.includes(first)) chain.push(first);
  let earlier = first?.message_reference?.message_id;
  for (let steps = 0; earlier !== undefined && steps < maxChain; steps += 1) {
    const id: string = earlier;
    const message = latest.find((each) => each.id === id) ?? (await readMessage(rest, channel, id));
    if (message === undefined) break;
    if (!chain.includes(message)) chain.push(message);
    earlier = message.message_reference?.message_id;
  }
  return chain.filter(isSaid);
}

/** One message; undefined when it is gone. @throws DiscordProblem */
export async function readMessage(
  rest: DiscordRest,
  channel: string,
  id: string,
): Promise<APIMessage | undefined> {
  if (!isSnowflake(id)) return undefined;
  const request = rest.request<APIMessage>("GET", `/channels/${channel}/messages/${id}`);
  return unlessRefused(request, "gone");
}

/** `PollResult` is the result of a poll, posted by Discord in the name of its creator. */
const said: readonly number[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
  MessageType.PollResult,
];

/**
 * Whether somebody wrote the message; false for notices of Discord, such as the copy of the first message at the head of a
 * thread.
 */
export function isSaid({ type }: APIMessage): boolean {
  return said.includes(type);
}

function threadMessage(message: APIMessage, botId: string, directory: Directory): ThreadMessage {
  const { author } = message;
  const names = namesIn(message, knownNames(directory));
  return {
    id: message.id,
    author: {
      id: author.id,
      name: displayName(author),
      bot: author.bot === true || message.webhook_id !== undefined,
      self: author.id === botId,
    },
    text: readableText(saidText(message), names),
    at: Date.parse(message.timestamp),
    files: filesOf(message),
  };
}
