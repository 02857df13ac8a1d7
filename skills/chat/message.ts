import { DateTime } from "luxon";
import { z } from "zod";
import type { ChannelMessage } from "../../src/core/ports/chat-actions.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { cut } from "../../src/core/values/cut.ts";

/** A message in the skill's output. */
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

/** Maximum characters shown of one message. */
const maxText = 4_000;

/** @param zone IANA name of the zone that times are shown in */
export function showMessage(message: ChannelMessage, zone: string): ShownMessage {
  const { id, at, author, text, link, replies = 0, thread, files, outside } = message;
  const kind = author.self ? " (you)" : author.bot ? " (a bot)" : outside === true ? " (from outside)" : "";
  return {
    id,
    at: DateTime.fromMillis(at, { zone }).toFormat("ccc yyyy-MM-dd HH:mm"),
    from: author.id === "" ? author.name : `${author.name} <@${author.id}>${kind}`,
    text: cut(text, maxText),
    link,
    ...(replies > 0 ? { replies } : {}),
    ...(thread !== undefined && thread !== id ? { thread } : {}),
    ...(files.length === 0 ? {} : { files: files.map(({ name }) => name) }),
  };
}

/** A time as the skill's callers write it. */
export const timeSchema = z.string().max(60).optional();

/**
 * A past time, ms since the epoch: `2026-11-23` or `2026-11-23T09:00` (local, or with its own offset), or words such as `Monday`,
 * `yesterday at 9`, `2 hours ago`. A day means its beginning, a weekday the latest one. @throws SkillFailure for an invalid time
 */
export async function timeIn(
  text: string | undefined,
  { time_zone: zone, now }: Pick<ToolContext, "time_zone" | "now">,
): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const written = DateTime.fromISO(text.trim().replace(" ", "T"), { zone });
  const time = written.isValid ? written : await spokenTime(text, DateTime.fromMillis(now(), { zone }));
  if (time?.isValid) return time.toMillis();
  throw new SkillFailure(
    "invalid_time",
    `${text} is not a time the bot understands.`,
    "Give it as 2026-11-23, 2026-11-23T09:00, Monday, yesterday or 2 hours ago.",
  );
}

/** Undefined unless all words are understood. */
async function spokenTime(text: string, now: DateTime): Promise<DateTime | undefined> {
  const words = text.trim().replace(/^(?:since|from|until|till|on|seit|bis|depuis|desde)\s+/i, "");
  if (/^this (?:week|month|year)$/i.test(words)) return now.startOf(words.slice(5).toLowerCase() as "week");
  const { de, en, es, fr } = await import("chrono-node");
  // The local wall clock as UTC, so that words are read as local times.
  const instant = now.setZone("utc", { keepLocalTime: true }).toJSDate();
  const found = [en, de, fr, es]
    .flatMap((language) => language.parse(words, { instant, timezone: 0 })[0] ?? [])
    .find((each) => each.text.length === words.length);
  if (found === undefined) return undefined;
  const { start } = found;
  const read = DateTime.fromJSDate(start.date(), { zone: "utc" }).setZone(now.zone, { keepLocalTime: true });
  const time = start.isCertain("hour") ? read : read.startOf("day");
  const isWeekday = start.isCertain("weekday") && !start.isCertain("day");
  return isWeekday && time > now && !/^next\b/i.test(words) ? time.minus({ weeks: 1 }) : time;
}
