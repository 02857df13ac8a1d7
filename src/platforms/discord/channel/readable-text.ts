import { pattern } from "../../../base/pattern.ts";
/** Names for the ids in a text; undefined for an unknown id. */
export interface Names {
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
  role(id: string): string | undefined;
}

/** Ids that mention the bot: its user, and the role Discord created for it. */
export interface BotIds {
  user: string;
  role: string | undefined;
}

/** Whether the text itself mentions the bot; a reply's ping does not count. */
export function mentionsBot(content: string, bot: BotIds): boolean {
  return mentionPattern(bot).test(content);
}

/** The text without the mention of the bot at its beginning or end. */
export function withoutBotMention(content: string, bot: BotIds): string {
  const mention = mentionPattern(bot);
  return content
    .replace(pattern()`^\s*([*_~|\x60]+)(${mention})\1`, "$2")
    .replace(pattern()`^\s*(?:(?:${mention})(?:[,:，：](?=\s|$))?\s*)+`, "")
    .replace(pattern()`(?<!\s)\s*(?:(?:${mention})\s*)+$`, "")
    .trim();
}

function mentionPattern({ user, role }: BotIds): RegExp {
  return role === undefined ? pattern()`<@!?${user}>` : pattern()`<@!?${user}>|<@&${role}>`;
}

/**
 * The text with Discord's markup replaced by words: mentions, custom emoji, timestamps, command links. Source: Discord
 * reference, "Message Formatting".
 */
export function readableText(content: string, names: Names): string {
  return content
    .replace(/<@!?(\d+)>/g, (_, id: string) => `@${names.user(id) ?? "somebody"}`)
    .replace(/<@&(\d+)>/g, (_, id: string) => `@${names.role(id) ?? "a role"}`)
    .replace(/<#(\d+)>/g, (_, id: string) => `#${names.channel(id) ?? "a-channel"}`)
    .replace(/<a?:(\w+):\d+>/g, ":$1:")
    .replace(/<t:(-?\d{1,12})(?::\w)?>/g, (whole, seconds: string) => readableTime(whole, Number(seconds)))
    .replace(/<\/([^:<>]+):\d+>/g, "/$1");
}

function readableTime(whole: string, seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? whole : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
