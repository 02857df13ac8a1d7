import type { APIMessage } from "discord.js";
import { MessageType } from "discord-api-types/v10";
import type { ThreadMessage } from "../../../core/ports/chat-actions.ts";
import type { Place } from "../../../core/values/place.ts";
import { isForumType, isSnowflake } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { ConversationTargets } from "./conversation-targets.ts";
import type { Directory } from "./directory.ts";
import { displayName } from "./directory-facts.ts";
import { readPlace } from "./discord-place.ts";
import { knownNames } from "./known-names.ts";
import { filesOf, namesIn } from "./parse-message.ts";
import { readableText } from "./readable-text.ts";
import type { ReplyChains } from "./reply-chains.ts";
import { saidText } from "./said-text.ts";

export interface ReadDeps {
  rest: DiscordRest;
  directory: Directory;
  targets: ConversationTargets;
  chains: ReplyChains;
}

/** Maximum messages per request. Source: Discord reference, "Get Channel Messages". */
const perRequest = 100;
/** Maximum replies that are followed back. */
const maxChain = 10;

/** The latest messages of a conversation, oldest first. @throws DiscordProblem */
export async function readThread(deps: ReadDeps, place: Place, limit: number): Promise<ThreadMessage[]> {
  const { channel, root } = await deps.targets.look(place);
  const messages =
    root === undefined
      ? await threadMessages(deps, place, channel, limit)
      : await chainMessages(deps, place, channel, root);
  const { id: botId } = await deps.directory.self();
  const { guild } = readPlace(place);
  if (guild !== undefined) await deps.directory.learnNames(guild);
  return messages
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    .slice(-limit)
    .map((message) => threadMessage(message, botId, deps.directory));
}

async function threadMessages(
  { rest, directory }: ReadDeps,
  place: Place,
  channel: string,
  limit: number,
): Promise<APIMessage[]> {
  const found: APIMessage[] = [];
  let before: string | undefined;
  while (found.length < limit) {
    const wanted = Math.min(perRequest, limit - found.length);
    const query = { limit: wanted, ...(before === undefined ? {} : { before }) };
    const page = await rest.request<APIMessage[]>("GET", `/channels/${channel}/messages`, { query });
    found.push(...page);
    before = page.at(-1)?.id;
    if (page.length < wanted) break;
  }
  const { thread, channel: parent } = readPlace(place);
  const isThread = thread !== undefined && thread === channel && parent !== undefined;
  if (!isThread || found.length >= limit || found.some(({ id }) => id === thread))
    return found.filter(isSaid);
  const facts = await directory.channel(parent);
  if (facts === undefined || isForumType(facts.type)) return found.filter(isSaid);
  const first = await readMessage(rest, parent, thread);
  return [...found.filter(isSaid), ...(first === undefined ? [] : [first])];
}

/** A conversation without a thread: the messages its first message replies to, and all replies that lead back to it. */
export async function chainMessages(
  { rest, chains }: ReadDeps,
  place: Place,
  channel: string,
  root: string,
): Promise<APIMessage[]> {
  const query = { limit: perRequest };
  const latest = await rest.request<APIMessage[]>("GET", `/channels/${channel}/messages`, { query });
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
  return unlessRefused(request, ({ code }) => code === "gone");
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
