import type { ThreadMessage } from "../../../core/ports/chat-actions.ts";
import type { MessageTag } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { metadataType } from "../outgoing/render-message.ts";
import { historySchema, isSaid, type SlackMessage } from "./message-event.ts";
import { type Names, readableText } from "./mrkdwn.ts";
import { filesOf } from "./parse-message.ts";
import type { PersonDirectory } from "./person-directory.ts";
import { saidText } from "./said-text.ts";
import { timeOf } from "./slack-place.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";

const pageSize = 200;
/** Pages of a thread read at most; a longer one is read only to here. */
const maxPages = 10;

/** The messages of a thread, or the latest ones of a channel, oldest first. @throws PlatformError */
export async function readRoom(
  { workspaces }: SlackContext,
  { team, channel, thread }: Room,
  options: { limit: number; oldest?: string; inclusive?: true },
): Promise<SlackMessage[]> {
  const { limit, oldest, inclusive } = options;
  const since = { ...(oldest === undefined ? {} : { oldest }), ...(inclusive ? { inclusive } : {}) };
  const all: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const size = thread === undefined ? Math.min(pageSize, limit - all.length) : pageSize;
    const common = { channel, limit: size, include_all_metadata: true, ...since, ...(cursor && { cursor }) };
    const answer = await workspaces.call(team, "read a conversation", ({ read }) =>
      thread === undefined
        ? read.conversations.history(common)
        : read.conversations.replies({ ...common, ts: thread }),
    );
    const { messages, response_metadata } = historySchema.parse(answer);
    all.push(...messages);
    cursor = response_metadata?.next_cursor || undefined;
    if (cursor === undefined || (thread === undefined && all.length >= limit)) break;
  }
  // A channel comes newest first, a thread oldest first.
  if (thread === undefined) all.reverse();
  return all.slice(-limit);
}

export async function readThread(
  context: SlackContext,
  place: Place,
  limit: number,
): Promise<ThreadMessage[]> {
  const room = await roomOf(context, place);
  const [messages, { self, bot }] = await Promise.all([
    readRoom(context, room, { limit }),
    context.workspaces.of(room.team),
  ]);
  const names = namesOf(context.directory, room.team);
  const read = messages.filter(isSaid).map(async (message): Promise<ThreadMessage> => {
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
  });
  return Promise.all(read);
}

/** Names of people, channels and user groups of a workspace, where they can be found soon. */
export function namesOf(directory: PersonDirectory, team: string): Names {
  return {
    person: (id) => directory.name(team, id),
    channel: (id) => directory.channelName(team, id),
    group: (id) => directory.groupName(team, id),
  };
}

/** How many of the latest messages are looked through for one of ours. */
const lookBack = 200;

/**
 * The bot's message with this tag. An answer whose streaming was interrupted has no metadata: it is the latest streamed one
 * without, as a thread has one answer at a time.
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
