import { DateTime } from "luxon";
import { z } from "zod";
import type { ChannelMessage } from "../../src/core/chat-actions.ts";
import { SkillFailure } from "../../src/core/define-skill.ts";

/** A message as the skill answers it. */
export const shownMessageSchema = z.object({
  id: z.string(),
  at: z.string().describe("local time of the person"),
  from: z.string(),
  text: z.string(),
  link: z.string(),
  replies: z.number().optional(),
  thread: z.string().optional(),
  files: z.array(z.string()).optional(),
});
export type ShownMessage = z.output<typeof shownMessageSchema>;

/** Characters of one message that are shown. */
const longestText = 4_000;

/** @param zone IANA name of the zone that times are shown in */
export function showMessage(message: ChannelMessage, zone: string): ShownMessage {
  const { id, at, author, text, link, replies = 0, thread, files, outside } = message;
  const kind = author.self ? " (you)" : author.bot ? " (a bot)" : outside === true ? " (from outside)" : "";
  return {
    id,
    at: DateTime.fromMillis(at, { zone }).toFormat("ccc yyyy-MM-dd HH:mm"),
    from: `${author.name} <@${author.id}>${kind}`,
    text: text.length > longestText ? `${text.slice(0, longestText)}… [cut]` : text,
    link,
    ...(replies > 0 ? { replies } : {}),
    ...(thread !== undefined && thread !== id ? { thread } : {}),
    ...(files.length === 0 ? {} : { files: files.map(({ name }) => name) }),
  };
}

/** How times are given to the skill. */
export const timeSchema = z.string().max(40).optional();

/**
 * A local time, `2026-11-23` or `2026-11-23T09:00`, as ms since the epoch; with its own offset where it has one. @throws SkillFailure for
 * what is no time
 */
export function timeIn(text: string | undefined, zone: string): number | undefined {
  if (text === undefined) return undefined;
  const time = DateTime.fromISO(text.trim().replace(" ", "T"), { zone });
  if (time.isValid) return time.toMillis();
  const message = `${text} is not a time: ${time.invalidExplanation ?? "it cannot be read"}.`;
  throw new SkillFailure("invalid_time", message, "Give it as 2026-11-23 or 2026-11-23T09:00.");
}
