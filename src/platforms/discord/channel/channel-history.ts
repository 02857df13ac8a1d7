import type { APIMessage, APIThreadChannel } from "discord.js";
import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import type { TimeRange } from "../../../core/ports/chat-actions.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { isForumType, isThreadType, snowflakeAt, timeOf } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { Directory } from "./directory.ts";
import type { DiscordContext } from "./discord-context.ts";
import { type DiscordPlace, readPlace } from "./discord-place.ts";
import { missingPermissionProblem } from "./missing-permissions.ts";
import { chainMessages, isSaid, perRequest, readMessage, readPage, rootOf } from "./read-thread.ts";
import type { ReadMessage } from "./show-message.ts";

const maxRequests = 20;

/** Maximum posts of a forum that are read, with one request each, and pages of archived ones. */
const maxPosts = 50;
const maxArchivePages = 5;

type Range = TimeRange & { most: number };

/** The latest messages of a range, oldest first, and whether the range has more. */
interface ReadRange {
  messages: ReadMessage[];
  more: boolean;
}

/** Reads a channel's top level, one thread of it, or the posts of a forum. @throws PlatformError */
export async function readHistory(context: DiscordContext, place: Place, range: Range): Promise<ReadRange> {
  const { rest, directory } = context;
  const at = readPlace(place);
  if (at.guild === undefined || at.channel === undefined)
    return readRange(rest, await directory.directMessage(at.person ?? ""), range);
  if (at.thread !== undefined) return readConversation(context, place, { ...at, thread: at.thread }, range);
  const facts = await directory.channel(at.channel);
  if (isForumType(facts?.type ?? ChannelType.GuildText))
    return readPosts(rest, { guild: at.guild, channel: at.channel }, range);
  const read = await readRange(rest, at.channel, range);
  if (read.messages.length === 0) await refuseWithoutHistory(directory, place.namespace);
  return read;
}

/** Without permission to read the history, Discord returns an empty list instead of a refusal. */
async function refuseWithoutHistory(directory: Directory, namespace: string): Promise<void> {
  const of = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;
  const lack = await missingPermissionProblem(directory, namespace, "read what was said", { of });
  if (lack !== undefined) throw lack;
}

/**
 * Whether a channel is the one of a place, or a public thread in it. A private thread is a place of its own, with its own check
 * of members.
 */
export async function belongsTo(
  directory: Directory,
  { channel: home, person }: Pick<DiscordPlace, "channel" | "person">,
  channel: string,
): Promise<boolean> {
  if (person !== undefined) return channel === (await directory.directMessage(person));
  if (channel === home) return true;
  const facts = await unlessRefused(directory.channel(channel), "forbidden");
  if (facts === undefined || facts.type === ChannelType.PrivateThread) return false;
  return isThreadType(facts.type) && facts.parent_id === home;
}

async function readConversation(
  context: DiscordContext,
  place: Place,
  at: DiscordPlace & { thread: string },
  range: Range,
): Promise<ReadRange> {
  const { channel, root } = await context.targets.look(place);
  if (!(await belongsTo(context.directory, at, channel)))
    throw new PlatformError("gone", "There is no such thread in this channel.");
  if (root !== undefined) return within(await chainMessages(context, place, channel, root), range);
  const { messages, more } = await readRange(context.rest, channel, range);
  const first = more ? undefined : await rootOf(context, at.channel ?? "", at.thread);
  if (first === undefined || messages.some(({ id }) => id === first.id)) return { messages, more };
  return within([first, ...messages], range);
}

function isWithin({ timestamp }: APIMessage, { since = 0, until = Number.POSITIVE_INFINITY }: TimeRange) {
  const at = Date.parse(timestamp);
  return at >= since && at <= until;
}

/** The latest messages of a whole conversation given in any order. */
function within(messages: readonly APIMessage[], { most, ...range }: Range): ReadRange {
  const found = messages
    .filter((message) => isWithin(message, range))
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  return { messages: found.slice(-most), more: found.length > most };
}

/** The latest `most` messages of a range, oldest first. */
async function readRange(
  rest: DiscordRest,
  channel: string,
  { since, until, most }: Range,
): Promise<ReadRange> {
  const found: APIMessage[] = [];
  let before = until === undefined ? undefined : snowflakeAt(until + 1);
  let isOver = false;
  for (let page = 0; page < maxRequests && !isOver && found.length <= most; page += 1) {
    const messages = await readPage(rest, channel, { limit: perRequest, before });
    const inRange = messages.filter((message) => isWithin(message, { since }));
    found.push(...inRange.filter(isSaid));
    before = messages.at(-1)?.id;
    isOver = messages.length < perRequest || inRange.length < messages.length;
  }
  return { messages: found.slice(0, most).reverse(), more: found.length > most || !isOver };
}

/** The posts of a forum: their first messages, each below its title. */
async function readPosts(
  rest: DiscordRest,
  place: { guild: string; channel: string },
  { since = 0, until = Number.POSITIVE_INFINITY, most }: Range,
): Promise<ReadRange> {
  const { threads, more } = await threadsIn(rest, place, { since, pages: maxArchivePages });
  const inRange = threads.filter(({ id }) => timeOf(id) >= since && timeOf(id) <= until);
  const shown = inRange.slice(0, Math.min(most, maxPosts));
  const messages = await Promise.all(
    shown.map(async (thread) => {
      const first = await readMessage(rest, thread.id, thread.id);
      return first === undefined ? [] : [{ ...first, content: `${thread.name}\n\n${first.content}`, thread }];
    }),
  );
  return { messages: messages.flat().reverse(), more: more || inRange.length > shown.length };
}

/** Discord's answer to a request for threads. */
interface ThreadPage {
  threads: APIThreadChannel[];
  has_more?: boolean;
}

/** Threads per page. Source: Discord reference, "List Public Archived Threads". */
const perPage = 100;

/** The public threads of a channel, or the posts of a forum. */
export interface ChannelThreads {
  /** Latest first, by creation. */
  threads: APIThreadChannel[];
  /** Whether older threads were not read. */
  more: boolean;
}

/**
 * Active threads, and threads archived since a time (ms since the epoch), at most `pages` pages of them.
 * @throws DiscordProblem
 */
export async function threadsIn(
  rest: DiscordRest,
  { guild, channel }: { guild: string; channel: string },
  { since = 0, pages }: { since?: number | undefined; pages: number },
): Promise<ChannelThreads> {
  const active = await rest.request<ThreadPage>("GET", `/guilds/${guild}/threads/active`);
  const found = active.threads.filter(
    ({ parent_id, type }) => parent_id === channel && type !== ChannelType.PrivateThread,
  );
  let before: string | undefined;
  let isOver = false;
  for (let page = 0; page < pages && !isOver; page += 1) {
    const path = `/channels/${channel}/threads/archived/public` as const;
    const query = { limit: perPage, before };
    const { threads, has_more } = await rest.request<ThreadPage>("GET", path, { query });
    found.push(...threads);
    before = threads.at(-1)?.thread_metadata?.archive_timestamp;
    isOver = has_more !== true || before === undefined || Date.parse(before) < since;
  }
  const latest = found.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  return { threads: latest, more: !isOver };
}
