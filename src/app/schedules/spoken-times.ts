/** Reads what people write after `/agent schedule add`: when, and what. Models pass cron patterns and ISO times instead. */
import { de, en, es, fr, type ParsedResult } from "chrono-node";
import type { Outcome } from "../../core/outcome.ts";
import type { Wish } from "../../core/schedules.ts";
import { wallClock } from "./times.ts";

const how =
  'Write when and what, for example `tomorrow at 9 remind me to pay the invoice`, `every weekday at 9 post what is open` or `cron "0 9 * * 1" remind me of the report`.';

/** What somebody wants, from their own words at a time (ms since the epoch) in their zone. */
export function readSpokenWish(words: string, now: number, time_zone: string): Outcome<Wish> {
  const text = words.trim().replace(/\s+/g, " ");
  const found = quotedCron(text) ?? everyDay(text) ?? oneTime(text, now, time_zone);
  if (found === undefined) return refused(`I found no time in that. ${how}`);
  if ("problem" in found) return refused(found.problem);
  const { what, said } = whatIn(found.rest);
  if (said === "") return refused(`I found when, but not what. ${how}`);
  return { ok: true, value: { what, text: said, time_zone, ...found.when } };
}

type Found = { when: { at: string } | { cron: string }; rest: string } | { problem: string };

function refused(message: string): Outcome<never> {
  return { ok: false, status: 400, message };
}

function quotedCron(text: string): Found | undefined {
  const [whole, , cron] = /\bcron\s+(["'“”`])([^"'“”`]+)["'“”`]/i.exec(text) ?? [];
  return whole === undefined || cron === undefined
    ? undefined
    : { when: { cron }, rest: text.replace(whole, " ") };
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const repeated = new RegExp(
  `\\bevery\\s+(day|weekday|(?:${weekdays.join("|")})s?(?:(?:\\s*,\\s*|\\s+and\\s+)(?:${weekdays.join("|")})s?)*|hour|second|minute|\\d+ (?:seconds?|minutes?))\\b(?:\\s+at\\s+(\\d{1,2})(?:[:.](\\d{2}))?\\s*(am|pm)?\\b)?`,
  "i",
);

function everyDay(text: string): Found | undefined {
  const [whole, days = "", hour, minute = "00", half] = repeated.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const rest = text.replace(whole, " ");
  const short = /^(?:(\d+) )?(second|minute)/i.exec(days);
  if (short !== null) {
    const cron = /second/i.test(days) ? "* * * * *" : `*/${short[1] ?? 1} * * * *`;
    return { when: { cron }, rest };
  }
  if (/^hour/i.test(days)) return { when: { cron: "0 * * * *" }, rest };
  if (hour === undefined) return { problem: `At what time? ${how}` };
  const at = hourOf(Number(hour), half);
  if (at > 23 || Number(minute) > 59) return { problem: `${hour}:${minute} is no time of a day.` };
  return { when: { cron: `${Number(minute)} ${at} * * ${daysOf(days.toLowerCase())}` }, rest };
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (/pm/i.test(half) ? 12 : 0);
}

function daysOf(days: string): string {
  if (days === "day") return "*";
  if (days === "weekday") return "1-5";
  const named = days.split(/\s*,\s*|\s+and\s+/).map((day) => weekdays.indexOf(day.replace(/s$/, "")));
  return named.join(",");
}

/** One moment. What reads the most of the text is right about its language. */
function oneTime(text: string, now: number, time_zone: string): Found | undefined {
  const reference = { instant: new Date(wallClock(now, time_zone)), timezone: 0 };
  const found = [en, de, fr, es]
    .flatMap((language) => language.parse(text, reference, { forwardDate: true })[0] ?? [])
    .sort((a, b) => b.text.length - a.text.length)[0];
  if (found === undefined) return undefined;
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found.text.length)}`;
  return { when: { at: localTime(found) }, rest };
}

/** A day without a time means its morning. */
function localTime({ start }: ParsedResult): string {
  const two = (part: "month" | "day" | "hour" | "minute" | "second", unless = 0) =>
    String(start.get(part) ?? unless).padStart(2, "0");
  const hour = start.isCertain("hour") ? two("hour") : "09";
  const minute = start.isCertain("hour") ? two("minute") : "00";
  // “In a minute” is not the beginning of the next one.
  const second = start.isCertain("timezoneOffset") ? two("second") : "00";
  return `${start.get("year")}-${two("month", 1)}-${two("day", 1)}T${hour}:${minute}:${second}`;
}

const asksToRemind =
  /\b(?:remind me|erinnere? mich|rappelle-moi|recuérdame)\b(?:\s+(?:to|that|of|about|an|daran|dass|de|que)\b)?/i;

function whatIn(rest: string): { what: "reminder" | "task"; said: string } {
  const isReminder = asksToRemind.test(rest);
  const said = rest
    .replace(asksToRemind, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s,:;.-]+|[\s,:;-]+$/g, "");
  return { what: isReminder ? "reminder" : "task", said };
}
