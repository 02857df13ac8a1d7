/** Reads what people write after `/agent schedule add`: when, and what. Models pass cron patterns and ISO times instead. */

import { de, en, es, fr, type ParsedResult } from "chrono-node";
import { pattern } from "../../base/pattern.ts";
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
const weekday = /(?:sun|mon|tues|wednes|thurs|fri|satur)day/;
const repeated = pattern(
  "i",
)`\bevery (day|weekday|${weekday}s?(?:(?: ?, ?| and )${weekday}s?)*|hour|second|minute|\d+ (?:seconds?|minutes?|hours?))\b(?: at (\d{1,2})(?:[:.](\d{2}))? ?(am|pm)?\b)?`;

function everyDay(text: string): Found | undefined {
  const [whole, days = "", hour, minute = "00", half] = repeated.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const rest = text.replace(whole, " ");
  const [, times, unit] = /^(\d+ )?(second|minute|hour)/i.exec(days) ?? [];
  if (unit !== undefined) {
    const cron = cronOf(Number(times ?? 1), unit.toLowerCase());
    return cron === undefined ? { problem: uneven } : { when: { cron }, rest };
  }
  if (hour === undefined) return { problem: `At what time? ${how}` };
  const at = hourOf(Number(hour), half);
  if (at > 23 || Number(minute) > 59) return { problem: `${hour}:${minute} is no time of a day.` };
  return { when: { cron: `${Number(minute)} ${at} * * ${daysOf(days.toLowerCase())}` }, rest };
}

const uneven =
  "The clock repeats only what divides an hour or a day evenly: every 15, 20 or 30 minutes, every hour, every 2, 3, 4, 6, 8 or 12 hours.";

/** A pattern for every so many seconds, minutes or hours; undefined where the steps would not be even. */
function cronOf(times: number, unit: string): string | undefined {
  if (unit === "second") return "* * * * *";
  const whole = unit === "hour" ? 24 : 60;
  if (times === whole || times < 1 || whole % times !== 0) return undefined;
  if (unit === "hour") return times === 1 ? "0 * * * *" : `0 */${times} * * *`;
  return `*/${times} * * * *`;
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (/pm/i.test(half) ? 12 : 0);
}

function daysOf(days: string): string {
  if (days === "day") return "*";
  if (days === "weekday") return "1-5";
  const named = days.split(/ ?, ?| and /).map((day) => weekdays.indexOf(day.replace(/s$/, "")));
  return named.join(",");
}

/** What would come again, in words that are understood for one time alone. */
const repeats =
  /^(?:(?:every|each|jede[nrs]?|chaque|tou(?:s|tes) les|cada|todos los|todas las)\s|(?:daily|weekly|monthly|yearly|täglich|wöchentlich|monatlich|jährlich)\s+(?:at|on|um|am)\s)/i;

/** One moment. What reads the most of the text is right about its language. */
function oneTime(text: string, now: number, time_zone: string): Found | undefined {
  if (repeats.test(text.replace(asksToRemind, "").trim()))
    return { problem: `I do not know this repetition, so nothing was made. ${how}` };
  const reference = { instant: new Date(wallClock(now, time_zone)), timezone: 0 };
  const found = [en, de, fr, es]
    .flatMap((language) => language.parse(text, reference, { forwardDate: true })[0] ?? [])
    .sort((a, b) => b.text.length - a.text.length)[0];
  if (found === undefined) return undefined;
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found.text.length)}`;
  return { when: { at: localTime(found) }, rest };
}

/** A day without a time means its morning. A zone that was named stands behind as an offset. */
function localTime(found: ParsedResult): string {
  const { start } = found;
  const two = (part: "month" | "day" | "hour" | "minute" | "second", unless = 0) =>
    String(start.get(part) ?? unless).padStart(2, "0");
  const tags = [...found.tags()];
  const isTold = start.isCertain("hour") || tags.some((tag) => /\/(?:afternoon|evening|tonight)$/.test(tag));
  const isRelative = tags.some((tag) => tag.startsWith("result/relative"));
  const hour = isTold ? two("hour") : "09";
  const minute = isTold ? two("minute") : "00";
  // “In a minute” is not the beginning of the next one.
  const second = isRelative && start.isCertain("hour") ? two("second") : "00";
  const offset =
    isRelative || !start.isCertain("timezoneOffset") ? "" : offsetOf(start.get("timezoneOffset"));
  return `${start.get("year")}-${two("month", 1)}-${two("day", 1)}T${hour}:${minute}:${second}${offset}`;
}

/** `-08:00` of minutes. */
function offsetOf(minutes: number | null): string {
  const size = Math.abs(minutes ?? 0);
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return `${(minutes ?? 0) < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

const asksToRemind =
  /\b(?:remind me|erinnere? mich|rappelle-moi|recuérdame)\b(?:\s+(?:to|that|of|about|an|daran|dass|de|que)\b)?/i;

function whatIn(rest: string): { what: "reminder" | "task"; said: string } {
  const isReminder = asksToRemind.test(rest);
  const said = rest
    .replace(asksToRemind, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s,:;.-]+|(?<![\s,:;-])[\s,:;-]+$/g, "");
  return { what: isReminder ? "reminder" : "task", said };
}

/** Words beside a time that change nothing about it. */
const besides =
  /^(?:(?:a|am|an|at|by|el|for|früh|h|in|la|las|le|me|morning|on|please|sharp|the|uhr|um|us|à|o'clock)(?=\s|$)|[\s,.()])*$/i;

/** When, from words that say nothing else. Words that are not understood may be what matters: then it is refused. */
export function readSpokenTime(
  words: string,
  now: number,
  time_zone: string,
): Outcome<{ at: string } | { cron: string }> {
  const text = words.trim().replace(/\s+/g, " ");
  const found = quotedCron(text) ?? everyDay(text) ?? oneTime(text, now, time_zone);
  const advice =
    "Say it as tomorrow at 9, every weekday at 9, 2026-11-26T09:00 (2026-11-26T09:00+09:00 for another zone), or a cron pattern such as 0 9 1 * *.";
  if (found === undefined) return refused(`“${text}” names no time that I understand. ${advice}`);
  if ("problem" in found) return refused(found.problem);
  const rest = found.rest.replace(asksToRemind, " ").replace(/\s+/g, " ").trim();
  if (besides.test(rest)) return { ok: true, value: found.when };
  return refused(`Of “${text}” I do not understand “${rest}”, so nothing was made. ${advice}`);
}
