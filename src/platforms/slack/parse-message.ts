import type { ChatEdit, ChatMessage } from "../../app/chat/chat-intake.ts";
import type { FileReference, Mention } from "../../core/inbound.ts";
import type { Place } from "../../core/place.ts";
import type { SlackFile, SlackMessage } from "./message-event.ts";
import { mentionsIn, type Names, readableText } from "./mrkdwn.ts";
import { saidText } from "./said-text.ts";
import { directNamespace, messageKey, slackNamespace, timeOf } from "./slack-place.ts";

/** Who the bot is in the workspace a message came to. */
export interface Self {
  team: string;
  /** User id. */
  self: string;
  /** Bot id. */
  bot: string;
}

/** The channel a message stands in. `im` is a direct message with the bot. */
export interface Where {
  channel: string;
  channel_type?: string | undefined;
}

/** Whether the bot itself wrote it. */
export function isOwn(message: SlackMessage, { self, bot }: Self): boolean {
  return message.user === self || (typeof message.bot_id === "string" && message.bot_id === bot);
}

export function isDirect({ channel, channel_type }: Where): boolean {
  return channel_type === "im" || (channel_type === undefined && channel.startsWith("D"));
}

/**
 * The place of a message: the thread it stands in or would open. In direct messages too: Slack shows conversations with an agent
 * as threads there, and streams and its status only in threads. https://docs.slack.dev/ai/migrating-to-agent-messaging
 * @param person whose direct messages these are
 */
export function placeOf(
  where: Where,
  message: Pick<SlackMessage, "ts" | "thread_ts">,
  team: string,
  person: string,
): Place {
  const namespace = isDirect(where) ? directNamespace(team, person) : slackNamespace(team, where.channel);
  return { namespace, thread: message.thread_ts ?? message.ts };
}

/** A message as the intake takes it; undefined for one without an author. */
export async function parseMessage(
  message: SlackMessage,
  where: Where,
  self: Self,
  names: Names,
): Promise<ChatMessage | undefined> {
  const author = message.user ?? message.bot_id;
  if (typeof author !== "string") return undefined;
  const raw = message.text ?? "";
  const { people, userGroups, groups } = mentionsIn(raw);
  const mentions = await namedIn({ people, userGroups }, self.self, names);
  const direct = isDirect(where);
  return {
    key: messageKey(self.team, where.channel, message.ts),
    place: placeOf(where, message, self.team, author),
    id: message.ts,
    author,
    by_bot: typeof message.bot_id === "string" || message.subtype === "bot_message",
    text: await readableText(saidText(message), self.self, names),
    said_at: timeOf(message.ts),
    addressed: direct ? "direct" : people.includes(self.self) ? "mention" : "none",
    mentions_others: groups || people.some((id) => id !== self.self),
    ...(mentions.length === 0 ? {} : { mentions }),
    in_thread: message.thread_ts !== undefined && message.thread_ts !== message.ts,
    files: filesOf(message),
  };
}

/** As many as an inbound holds. */
const mostMentions = 50;

/** With the names people read; the id where none can be found soon. */
async function namedIn(
  { people, userGroups }: Pick<ReturnType<typeof mentionsIn>, "people" | "userGroups">,
  self: string,
  names: Names,
): Promise<Mention[]> {
  const mentions = [
    ...[...new Set(people)].filter((id) => id !== self).map((id) => ({ id, kind: "person" as const })),
    ...[...userGroups].map(([id, label]) => ({ id, label, kind: "group" as const })),
  ];
  const named = mentions.slice(0, mostMentions).map(async (mention): Promise<Mention> => {
    const { id, kind } = mention;
    const name = kind === "person" ? await names.person(id) : mention.label || (await names.group(id));
    return { id, name: (name ?? id).slice(0, 200), kind };
  });
  return Promise.all(named);
}

/** As `parseMessage`, for a message that was changed at `changedTs`. */
export async function parseEdit(
  message: SlackMessage,
  changedTs: string,
  where: Where,
  self: Self,
  names: Names,
): Promise<ChatEdit | undefined> {
  const parsed = await parseMessage(message, where, self, names);
  return parsed && { ...parsed, edited_at: timeOf(message.edited?.ts ?? changedTs) };
}

/** The files of a message that are still there. At most 50, as many as an inbound holds. */
export function filesOf({ files }: SlackMessage): FileReference[] {
  const here = (files ?? []).filter(({ mode }) => mode !== "tombstone" && mode !== "hidden_by_limit");
  return here.slice(0, 50).map(fileReference);
}

/** Of a file in a channel shared with another company Slack tells only the id here; the rest is asked for on download. */
function fileReference(file: SlackFile): FileReference {
  const url = file.url_private_download ?? file.url_private ?? undefined;
  return {
    id: file.id,
    name: (file.name ?? file.title ?? file.id).slice(0, 300),
    media_type: file.mimetype || "application/octet-stream",
    bytes: Math.max(0, Math.round(file.size ?? 0)),
    ...(url === undefined || url.length > 2_000 ? {} : { url }),
  };
}
