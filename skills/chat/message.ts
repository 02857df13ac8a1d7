import { DateTime } from "luxon";
import { z } from "zod";
import type { ChannelMessage } from "../../src/core/ports/chat-actions.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { cut } from "../../src/core/values/cut.ts";
import { labelOf } from "../../src/core/values/label.ts";

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
    from: author.id === "" ? labelOf(author.name) : `${labelOf(author.name)} <@${author.id}>${kind}`,
    text: cut(text, maxText),
    link,
    replies: replies > 0 ? replies : undefined,
    thread: thread === id ? undefined : thread,
    files: files.length === 0 ? undefined : files.map(({ name }) => name),
  };
}

/** A time as the skill's callers write it. */
export const timeSchema = z.string().max(60).optional();

/**
 * A time in ms since the epoch: `2026-11-23`, the beginning of that day, or `2026-11-23T09:00`, local or with its own offset.
 * @throws SkillFailure for anything else
 */
export function timeIn(
  text: string | undefined,
  { time_zone: zone, now }: Pick<ToolContext, "time_zone" | "now">,
): number | undefined {
  if (text === undefined) return undefined;
  const time = DateTime.fromISO(text.trim().replace(" ", "T"), { zone });
  if (/^\d{4}-\d\d-\d\d/.test(text.trim()) && time.isValid) return time.toMillis();
  throw new SkillFailure(
    "invalid_time",
    `“${text}” is not a date or time.`,
    `Give it as 2026-11-23 or 2026-11-23T09:00. It is ${DateTime.fromMillis(now(), { zone }).toFormat("ccc yyyy-MM-dd HH:mm")} in ${zone}.`,
  );
}
