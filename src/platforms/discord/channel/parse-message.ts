import type { APIAttachment, APIMessage, APIUser } from "discord.js";
import { MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { FileReference, Mention } from "../../../core/values/inbound.ts";
import { displayName, type RawMember } from "./directory-facts.ts";
import { type BotIds, mentionsBot, type Names, readableText, withoutBotMention } from "./readable-text.ts";
import { textOutsideContent } from "./said-text.ts";

/** A message as REST returns it; the gateway adds the server and the author's membership. */
export type RawMessage = APIMessage & {
  guild_id?: string | undefined;
  member?: RawMember | undefined;
};

/** The content of a Discord message, without its place. */
export interface ParsedMessage {
  id: string;
  channel: string;
  guild: string | undefined;
  author: string;
  by_bot: boolean;
  text: string;
  /** ms since the epoch. */
  said_at: number;
  edited_at: number | undefined;
  addressed: "mention" | "direct" | "reply" | "none";
  mentions_others: boolean;
  /** People and roles, without the bot. */
  mentions: Mention[];
  /** The message it replies to. */
  reply_to: string | undefined;
  files: FileReference[];
}

/** Types of messages that people write. */
const written: readonly number[] = [MessageType.Default, MessageType.Reply];

/**
 * Whether a person or another bot wrote the message; false for the bot's own, and for notices of Discord ("Ada pinned a
 * message").
 */
export function isWritten(message: Pick<RawMessage, "type" | "author">, botId: string): boolean {
  return written.includes(message.type) && message.author.id !== botId;
}

/** Reads a message for which `isWritten`. */
export function parseMessage(message: RawMessage, bot: BotIds, names: Names): ParsedMessage {
  const known = namesIn(message, names);
  const mentioned = mentionsBot(message.content, bot);
  const direct = message.guild_id === undefined;
  const repliesToBot = message.referenced_message?.author.id === bot.user;
  const addressed = mentioned ? "mention" : direct ? "direct" : repliesToBot ? "reply" : "none";
  const words = [withoutBotMention(message.content, bot), textOutsideContent(message)]
    .filter(Boolean)
    .join("\n\n");
  return {
    id: message.id,
    channel: message.channel_id,
    guild: message.guild_id,
    author: message.author.id,
    by_bot: message.author.bot === true || message.webhook_id !== undefined,
    text: readableText(words, known),
    said_at: Date.parse(message.timestamp),
    edited_at: message.edited_timestamp === null ? undefined : Date.parse(message.edited_timestamp),
    addressed,
    mentions_others:
      message.mention_everyone ||
      message.mentions.some((user) => user.id !== bot.user) ||
      message.mention_roles.some((role) => role !== bot.role),
    mentions: mentionedIn(message, bot, known),
    reply_to:
      message.message_reference?.type === MessageReferenceType.Forward
        ? undefined
        : message.message_reference?.message_id,
    files: filesOf(message),
  };
}

/** Maximum mentions per inbound. */
const maxMentions = 50;

function mentionedIn({ mentions, mention_roles }: RawMessage, bot: BotIds, names: Names): Mention[] {
  const people = mentions
    .filter(({ id }) => id !== bot.user)
    .map((user): Mention => ({ id: user.id, name: beginningOf(memberName(user), 200), kind: "person" }));
  const groups = mention_roles
    .filter((id) => id !== bot.role)
    .map((id): Mention => ({ id, name: beginningOf(names.role(id) ?? id, 200), kind: "group" }));
  return [...people, ...groups].slice(0, maxMentions);
}

/** The files of a message and of the messages it forwards. */
export function filesOf(
  message: Pick<RawMessage, "attachments" | "message_snapshots" | "flags">,
): FileReference[] {
  const inside = (message.message_snapshots ?? []).flatMap(
    (snapshot) => snapshot?.message?.attachments ?? [],
  );
  const own = (message.attachments ?? []).map(isVoice(message) ? voiceReference : fileReference);
  return [...own, ...inside.map(fileReference)];
}

function isVoice({ flags }: Pick<RawMessage, "flags">): boolean {
  return (Number(flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
}

function voiceReference(attachment: APIAttachment): FileReference {
  const { duration_secs: seconds } = attachment;
  return { ...fileReference(attachment), voice: seconds === undefined ? {} : { seconds } };
}

function fileReference(attachment: APIAttachment): FileReference {
  return {
    id: attachment.id,
    name: attachment.filename,
    media_type: attachment.content_type?.split(";")[0] ?? "application/octet-stream",
    bytes: attachment.size,
    url: attachment.url,
  };
}

/** Names in the message itself take precedence over known ones. */
export function namesIn(message: Pick<RawMessage, "mentions">, names: Names): Names {
  const brought = new Map(message.mentions.map((user) => [user.id, memberName(user)]));
  return { ...names, user: (id) => brought.get(id) ?? names.user(id) };
}

function memberName(user: APIUser & { member?: { nick?: string | null } }): string {
  return user.member?.nick ?? displayName(user);
}
