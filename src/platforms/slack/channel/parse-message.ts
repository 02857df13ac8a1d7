import type { ChatEdit, ChatMessage } from "../../../app/chat/chat-intake.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { FileReference, LookedAt, Mention } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import type { DirectMessages } from "../connection/slack-settings.ts";
import type { AppContext, SlackFile, SlackMessage } from "./message-event.ts";
import { mentionsIn, type Names, readableText } from "./mrkdwn.ts";
import { ownText, saidText } from "./said-text.ts";
import {
  directNamespace,
  directThread,
  isTimestamp,
  messageKey,
  slackNamespace,
  timeOf,
} from "./slack-place.ts";

/** The bot's ids in the workspace of a message. */
export interface Self {
  team: string;
  /** User id. */
  self: string;
  /** Bot id. */
  bot: string;
  /** How direct messages are handled there. */
  direct: DirectMessages;
}

/** The channel of a message. `im` is a direct message with the bot. */
export interface Where {
  channel: string;
  channel_type?: string | undefined;
}

/** Whether the bot itself wrote it. */
export function isOwn(message: SlackMessage, { self, bot }: Pick<Self, "self" | "bot">): boolean {
  return message.user === self || (typeof message.bot_id === "string" && message.bot_id === bot);
}

export function isDirect({ channel, channel_type }: Where): boolean {
  return channel_type === "im" || (channel_type === undefined && channel.startsWith("D"));
}

/**
 * The place of a message: its thread, or the thread it would begin. The same holds for direct messages if Slack shows them as
 * threads, as it does for an agent (https://docs.slack.dev/ai/migrating-to-agent-messaging); otherwise all direct messages
 * outside threads are one conversation.
 * @param person whose direct messages these are
 */
export function placeOf(
  where: Where,
  message: Pick<SlackMessage, "ts" | "thread_ts">,
  { team, direct }: Pick<Self, "team" | "direct">,
  person: string,
): Place {
  const thread = message.thread_ts ?? message.ts;
  if (!isDirect(where)) return { namespace: slackNamespace(team, where.channel), thread };
  const namespace = directNamespace(team, person);
  return { namespace, thread: direct === "threads" || isReply(message) ? thread : directThread };
}

function isReply({ ts, thread_ts }: Pick<SlackMessage, "ts" | "thread_ts">): boolean {
  return thread_ts !== undefined && thread_ts !== ts;
}

/** A message for the intake; undefined if it has no author. */
export async function parseMessage(
  message: SlackMessage,
  where: Where,
  self: Self,
  names: Names,
): Promise<ChatMessage | undefined> {
  const author = message.user ?? message.bot_id;
  if (typeof author !== "string") return undefined;
  const { people, userGroups, groups } = mentionsIn(ownText(message));
  const mentions = await namedIn({ people, userGroups }, self.self, names);
  const direct = isDirect(where);
  const looking_at = direct ? await lookedAt(message.app_context, self.team, names) : [];
  return {
    key: messageKey(self.team, where.channel, message.ts),
    place: placeOf(where, message, self, author),
    id: message.ts,
    author,
    by_bot: typeof message.bot_id === "string" || message.subtype === "bot_message",
    text: await readableText(saidText(message), self.self, names),
    said_at: timeOf(message.ts),
    addressed: direct ? "direct" : people.includes(self.self) ? "mention" : "none",
    mentions_others: groups || people.some((id) => id !== self.self),
    mentions: mentions.length === 0 ? undefined : mentions,
    looking_at: looking_at.length === 0 ? undefined : looking_at,
    in_thread: isReply(message),
    files: filesOf(message),
  };
}

/** Maximum things that a person looks at, per inbound. */
const maxLookedAt = 3;

const documents: Readonly<Record<string, string>> = {
  "slack#/types/canvas_id": "a canvas",
  "slack#/types/list_id": "a list",
};

/** What a person has open beside the conversation; empty if Slack does not tell. */
export async function lookedAt(context: AppContext, team: string, names: Names): Promise<LookedAt[]> {
  const seen = (context?.entities ?? []).map(async ({ type, value }): Promise<LookedAt | undefined> => {
    const document = documents[type];
    if (document !== undefined) return { document };
    const isMessage = typeof value !== "string";
    const channel = isMessage ? value.channel_id : value;
    if (!isMessage && type !== "slack#/types/channel_id") return undefined;
    if (!/^[CG][A-Z0-9]{2,30}$/.test(channel)) return undefined;
    const name = await names.channel(channel);
    return {
      channel: slackNamespace(team, channel),
      ...(name === undefined ? {} : { name: beginningOf(name, 200) }),
      ...(isMessage && isTimestamp(value.message_ts) ? { message: value.message_ts } : {}),
    };
  });
  return (await Promise.all(seen.slice(0, maxLookedAt))).filter((each) => each !== undefined);
}

/** Maximum mentions per inbound. */
const maxMentions = 50;

/** Resolves display names; falls back to the id. */
async function namedIn(
  { people, userGroups }: Pick<ReturnType<typeof mentionsIn>, "people" | "userGroups">,
  self: string,
  names: Names,
): Promise<Mention[]> {
  const mentions = [
    ...[...new Set(people)].filter((id) => id !== self).map((id) => ({ id, kind: "person" as const })),
    ...[...userGroups].map(([id, label]) => ({ id, label, kind: "group" as const })),
  ];
  const named = mentions.slice(0, maxMentions).map(async (mention): Promise<Mention> => {
    const { id, kind } = mention;
    const name = kind === "person" ? await names.person(id) : mention.label || (await names.group(id));
    return { id, name: beginningOf(name ?? id, 200), kind };
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

/** The files of a message and of those it forwards that still exist; at most 50, the limit of an inbound. */
export function filesOf({ files, attachments }: SlackMessage): FileReference[] {
  const shared = (attachments ?? []).filter(({ is_share }) => is_share === true);
  const here = [files, ...shared.map((each) => each.files)]
    .flatMap((each) => each ?? [])
    .filter(({ mode }) => mode !== "tombstone" && mode !== "hidden_by_limit");
  return here.slice(0, 50).map(fileReference);
}

function voiceOf({ duration_ms }: SlackFile): NonNullable<FileReference["voice"]> {
  return typeof duration_ms === "number" && duration_ms > 0 ? { seconds: duration_ms / 1_000 } : {};
}

/** For Slack Connect channels, Slack sends only the file id here; the rest is requested on download. */
function fileReference(file: SlackFile): FileReference {
  const shown = shownPicture(file);
  if (shown !== undefined) return shown;
  const url = file.url_private_download ?? file.url_private ?? undefined;
  const isVoice = file.subtype === "slack_audio";
  const media_type = file.mimetype || "application/octet-stream";
  return {
    id: file.id,
    name: beginningOf(file.name ?? file.title ?? file.id, 300),
    // A clip with sound only may have the type of its container.
    media_type: isVoice ? media_type.replace(/^video\//, "audio/") : media_type,
    bytes: Math.max(0, Math.round(file.size ?? 0)),
    ...(url === undefined || url.length > 2_000 ? {} : { url }),
    ...(isVoice ? { voice: voiceOf(file) } : {}),
  };
}

/** Slack's own picture for a kind of picture that models do not take; undefined for other files, and if Slack made none. */
function shownPicture(file: SlackFile): FileReference | undefined {
  const name = file.name ?? file.title ?? file.id;
  const isUnsupported =
    /^image\/(?:heic|heif|avif|tiff)/.test(file.mimetype ?? "") || /\.(?:hei[cf]|avif|tiff?)$/i.test(name);
  const url = [file.thumb_1024, file.thumb_720, file.thumb_480].find((each) => each && each.length <= 2_000);
  if (!isUnsupported || !url) return undefined;
  const type = /\.png(?:$|\?)/i.test(url) ? "png" : "jpeg";
  const base = name
    .replace(/\.\w+$/, "")
    .slice(0, 290)
    .toWellFormed();
  return {
    id: file.id,
    name: `${base}.${type === "png" ? "png" : "jpg"}`,
    media_type: `image/${type}`,
    bytes: 0,
    url,
  };
}
