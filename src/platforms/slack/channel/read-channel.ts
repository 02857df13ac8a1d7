import type { ChannelMessage, TimeRange } from "../../../core/ports/chat-actions.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import { refusedWith } from "../connection/slack-call.ts";
import { historySchema, isSaid, type SlackMessage } from "./message-event.ts";
import { readableText } from "./mrkdwn.ts";
import { filesOf } from "./parse-message.ts";
import { namesOf } from "./read-history.ts";
import { saidText } from "./said-text.ts";
import { timeOf } from "./slack-place.ts";
import type { Room, SlackContext } from "./slack-rooms.ts";

/** Messages of one request, of a channel and of a thread, and requests for one range. */
const pageSize = 200;
const threadPageSize = 999;
const maxPages = 10;

/** The latest `most` messages of a range, oldest first; of a thread with more than about 10,000 replies, of those. */
export async function readRange(
  { workspaces }: SlackContext,
  { team, channel, thread }: Room,
  range: TimeRange,
  most: number,
): Promise<{ messages: SlackMessage[]; more: boolean }> {
  const said: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const common = { channel, inclusive: true, ...boundsOf(range), ...(cursor && { cursor }) };
    const answer = await workspaces.call(team, "read a conversation", ({ read }) =>
      thread === undefined
        ? read.conversations.history({ ...common, limit: pageSize })
        : read.conversations.replies({ ...common, limit: threadPageSize, ts: thread }),
    );
    const { messages, response_metadata } = historySchema.parse(answer);
    // The root of a thread comes with each of its pages, whatever the range.
    const isNew = ({ ts }: SlackMessage) => ts !== thread || (page === 0 && isWithin(range, timeOf(ts)));
    said.push(...messages.filter((message) => isSaid(message) && isNew(message)));
    cursor = response_metadata?.next_cursor || undefined;
    if (cursor === undefined || (thread === undefined && said.length >= most)) break;
  }
  // A channel comes newest first, a thread oldest first.
  if (thread === undefined) said.reverse();
  return { messages: said.slice(-most), more: said.length > most || cursor !== undefined };
}

function isWithin({ since = 0, until = Number.POSITIVE_INFINITY }: TimeRange, at: number): boolean {
  return since <= at && at <= until;
}

/** Slack counts in microseconds: a message belongs to the millisecond it is nearest to, as in `timeOf`. */
function boundsOf({ since, until }: TimeRange): { oldest?: string; latest?: string } {
  return {
    ...(since === undefined ? {} : { oldest: ((since - 0.5) / 1_000).toFixed(6) }),
    ...(until === undefined ? {} : { latest: ((until + 0.499) / 1_000).toFixed(6) }),
  };
}

/** A message of a channel's top level, or of any thread in it: the latter is found by its own `ts`. Slack may tell its root first. */
export async function findMessage(
  { workspaces }: SlackContext,
  { team, channel }: Room,
  ts: string,
): Promise<SlackMessage | undefined> {
  try {
    const answer = await workspaces.call(team, "look for a message", ({ read }) =>
      read.conversations.replies({ channel, ts, latest: ts, oldest: ts, inclusive: true, limit: 10 }),
    );
    const { messages } = historySchema.parse(answer);
    return messages.find((message) => message.ts === ts);
  } catch (error) {
    if (refusedWith(error, "thread_not_found", "message_not_found")) return undefined;
    throw error;
  }
}

/** https://docs.slack.dev/reference/methods/chat.getPermalink */
export function linkTo(address: string, channel: string, ts: string, thread: string | undefined): string {
  const link = `${address}archives/${channel}/p${ts.replace(".", "")}`;
  return thread === undefined || thread === ts ? link : `${link}?thread_ts=${thread}&cid=${channel}`;
}

interface Viewer {
  room: Room;
  address: string;
  self: string;
  bot: string;
}

export async function showMessage(
  { directory }: SlackContext,
  { room, address, self, bot }: Viewer,
  message: SlackMessage,
): Promise<ChannelMessage> {
  const names = namesOf(directory, room.team);
  const id = message.user ?? message.bot_id ?? "";
  const { thread_ts, ts } = message;
  const replies = Number(message.reply_count ?? 0);
  const by = { id, name: (await names.person(id)) ?? id };
  const standing = await directory.person({ team: room.team, person: id }, id).catch(unknownPerson);
  return {
    id: ts,
    author: {
      ...by,
      bot: typeof message.bot_id === "string",
      self: id === self || message.bot_id === bot,
    },
    text: await readableText(saidText(message), self, names),
    at: timeOf(ts),
    files: filesOf(message),
    link: linkTo(address, room.channel, ts, thread_ts),
    ...(thread_ts === undefined ? {} : { thread: thread_ts }),
    ...(replies > 0 ? { replies } : {}),
    ...(["guest", "outsider", "stranger"].includes(standing.standing) ? { outside: true as const } : {}),
  };
}

function unknownPerson(error: unknown): { standing: "outsider" } {
  if (error instanceof PlatformError) return { standing: "outsider" };
  throw error;
}
