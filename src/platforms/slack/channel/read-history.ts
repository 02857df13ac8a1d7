import type { webApi } from "@slack/bolt";
import type { ChannelMessage, ThreadMessage, TimeRange } from "../../../core/ports/chat-actions.ts";
import type { MessageTag } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { fallbackTo, unlessRefused } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { historySchema, isSaid, metadataType, type SlackMessage } from "./message-event.ts";
import { type Names, readableText } from "./mrkdwn.ts";
import { filesOf } from "./parse-message.ts";
import type { PersonDirectory } from "./person-directory.ts";
import { saidText } from "./said-text.ts";
import { timeOf } from "./slack-place.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";

/** Messages per request: of a channel or a thread, and of a thread of which a range is read. */
const pageSize = 200;
const threadPageSize = 999;
const maxPages = 10;

/** Which messages a page has. Slack's client leaves out what is undefined. */
interface Wanted {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive?: boolean;
  include_all_metadata?: boolean;
}

type PageArguments = webApi.ConversationsHistoryArguments;

/** What reading takes of the workspaces. */
interface Calling {
  workspaces: Pick<Workspaces, "call">;
}

/** The pages of a channel, latest first, or of a thread, oldest first; at most `most`. `limit` is the size of the next page. */
async function* pagesOf(
  { workspaces }: Calling,
  { team, channel, thread }: Room,
  wanted: Wanted,
  limit: () => number,
  most = maxPages,
): AsyncGenerator<{ messages: SlackMessage[]; isLast: boolean }> {
  let cursor: string | undefined;
  for (let page = 0; page < most; page += 1) {
    const common = { channel, limit: limit(), ...wanted, cursor } as PageArguments;
    const answer = await workspaces.call(team, "read a conversation", ({ read }) =>
      thread === undefined
        ? read.conversations.history(common)
        : read.conversations.replies({ ...common, ts: thread }),
    );
    const { messages, response_metadata } = historySchema.parse(answer);
    cursor = response_metadata?.next_cursor || undefined;
    yield { messages, isLast: cursor === undefined };
    if (cursor === undefined) return;
  }
}

/** The messages of a thread, or the latest ones of a channel, oldest first. @throws PlatformError */
export async function readRoom(
  context: SlackContext,
  room: Room,
  { limit, ...since }: { limit: number; oldest?: string; inclusive?: true },
): Promise<SlackMessage[]> {
  const isChannel = room.thread === undefined;
  const all: SlackMessage[] = [];
  const size = () => (isChannel ? Math.min(pageSize, limit - all.length) : pageSize);
  for await (const { messages } of pagesOf(context, room, { include_all_metadata: true, ...since }, size)) {
    all.push(...messages);
    if (isChannel && all.length >= limit) break;
  }
  if (isChannel) all.reverse();
  return all.slice(-limit);
}

/**
 * All messages of a thread or channel after this time (a `ts`), oldest first, however many they are. A channel is read in whole pages, so that
 * earlier messages come first, in whose threads somebody may have written after it; of a thread, its root may. @throws PlatformError
 */
export async function readSince(context: Calling, room: Room, oldest: string): Promise<SlackMessage[]> {
  const isChannel = room.thread === undefined;
  const all: SlackMessage[] = [];
  const since = isChannel ? {} : { oldest };
  for await (const { messages } of pagesOf(context, room, since, () => pageSize, Number.POSITIVE_INFINITY)) {
    all.push(...messages);
    if (isChannel && messages.some(({ ts }) => Number(ts) <= Number(oldest))) break;
  }
  return isChannel ? all.reverse() : all;
}

/**
 * The latest `most` messages of a range, oldest first. Of a thread with more than about 10,000 replies only the first 10,000 are
 * considered.
 */
export async function readRange(
  context: SlackContext,
  room: Room,
  range: TimeRange,
  most: number,
): Promise<{ messages: SlackMessage[]; more: boolean }> {
  const { thread } = room;
  const isChannel = thread === undefined;
  const options = { inclusive: true, ...boundsOf(range) };
  const said: SlackMessage[] = [];
  let isFirst = true;
  let isComplete = false;
  const size = () => (isChannel ? pageSize : threadPageSize);
  for await (const { messages, isLast } of pagesOf(context, room, options, size)) {
    // Each page of a thread contains its root, whatever the range.
    const isNew = ({ ts }: SlackMessage) => ts !== thread || (isFirst && isWithin(range, timeOf(ts)));
    said.push(...messages.filter((message) => isSaid(message) && isNew(message)));
    isFirst = false;
    isComplete = isLast;
    if (isChannel && said.length >= most) break;
  }
  if (isChannel) said.reverse();
  return { messages: said.slice(-most), more: said.length > most || !isComplete };
}

function isWithin({ since = 0, until = Number.POSITIVE_INFINITY }: TimeRange, at: number): boolean {
  return since <= at && at <= until;
}

/** Slack counts in microseconds; as in `timeOf`, a message belongs to the nearest millisecond. */
function boundsOf({ since, until }: TimeRange): Pick<Wanted, "oldest" | "latest"> {
  const oldest = since === undefined ? undefined : ((since - 0.5) / 1_000).toFixed(6);
  const latest = until === undefined ? undefined : ((until + 0.499) / 1_000).toFixed(6);
  return { oldest, latest };
}

/**
 * A message of a channel's top level, or of any thread in it. A message of a thread is found by its own `ts`; Slack may return
 * the root before it.
 */
export async function findMessage(
  { workspaces }: SlackContext,
  { team, channel }: Room,
  ts: string,
): Promise<SlackMessage | undefined> {
  const answer = await unlessRefused(["thread_not_found", "message_not_found"], () =>
    workspaces.call(team, "look for a message", ({ read }) =>
      read.conversations.replies({ channel, ts, latest: ts, oldest: ts, inclusive: true, limit: 10 }),
    ),
  );
  return historySchema.parse(answer ?? { messages: [] }).messages.find((message) => message.ts === ts);
}

/** https://docs.slack.dev/reference/methods/chat.getPermalink */
export function linkTo(address: string, channel: string, ts: string, thread: string | undefined): string {
  const link = `${address}archives/${channel}/p${ts.replace(".", "")}`;
  return thread === undefined || thread === ts ? link : `${link}?thread_ts=${thread}&cid=${channel}`;
}

/** Who the bot is in a workspace: its user id and its bot id. */
interface BotIds {
  self: string;
  bot: string;
}

/** The latest messages of a thread or channel, oldest first. @throws PlatformError */
export async function readThread(
  context: SlackContext,
  place: Place,
  limit: number,
): Promise<ThreadMessage[]> {
  const room = await roomOf(context, place);
  const [messages, ids] = await Promise.all([
    readRoom(context, room, { limit }),
    context.workspaces.of(room.team),
  ]);
  return Promise.all(messages.filter(isSaid).map((message) => threadMessage(context, room, ids, message)));
}

async function threadMessage(
  { directory }: SlackContext,
  { team }: Room,
  { self, bot }: BotIds,
  message: SlackMessage,
): Promise<ThreadMessage> {
  const names = namesOf(directory, team);
  const id = message.user ?? message.bot_id ?? "";
  return {
    id: message.ts,
    author: {
      id,
      name: (await names.person(id)) ?? id,
      bot: typeof message.bot_id === "string",
      self: id === self || message.bot_id === bot,
    },
    text: await readableText(saidText(message), self, names),
    at: timeOf(message.ts),
    files: filesOf(message),
  };
}

/** @param address of the workspace, e.g. `https://acme.slack.com/` */
export async function showMessage(
  context: SlackContext,
  { room, address, ...ids }: BotIds & { room: Room; address: string },
  message: SlackMessage,
): Promise<ChannelMessage> {
  const { thread_ts, ts } = message;
  const shown = await threadMessage(context, room, ids, message);
  const { id } = shown.author;
  const unknown = { standing: "outsider" } as const;
  const person = context.directory.person({ team: room.team, person: id }, id);
  const { standing } = await person.catch(fallbackTo(unknown));
  return {
    ...shown,
    link: linkTo(address, room.channel, ts, thread_ts),
    thread: thread_ts,
    replies: Number(message.reply_count ?? 0) || undefined,
    outside: ["guest", "outsider", "stranger"].includes(standing) || undefined,
  };
}

/** Names of people, channels and user groups of a workspace, as far as they are found soon. */
export function namesOf(directory: PersonDirectory, team: string): Names {
  return {
    person: (id) => directory.name(team, id),
    channel: (id) => directory.channelName(team, id),
    group: (id) => directory.groupName(team, id),
  };
}

/** Latest messages that are searched for one of the bot's. */
const lookBack = 200;

/**
 * The bot's message with this tag. An answer whose stream was interrupted has no metadata: it is the latest streamed message
 * without any, since a thread has one answer at a time.
 */
export async function findTagged(
  context: SlackContext,
  place: Place,
  tag: MessageTag,
): Promise<string | undefined> {
  const room = await roomOf(context, place);
  const { self, bot } = await context.workspaces.of(room.team);
  const messages = await readRoom(context, room, { limit: lookBack });
  const own = messages.filter((message) => message.user === self || message.bot_id === bot);
  return own.findLast(({ metadata, streaming_state }) => {
    if (!metadata?.event_type)
      return tag.purpose === "answer" && tag.part === 0 && streaming_state !== undefined;
    const { turn_id, purpose, part } = metadata.event_payload ?? {};
    const ours = metadata.event_type === metadataType;
    return ours && turn_id === tag.turn_id && purpose === tag.purpose && Number(part) === tag.part;
  })?.ts;
}
