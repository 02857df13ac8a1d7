/** When plans run: what people, programs and models write, what is stored, and the words for it. */
import { z } from "zod";

/** Maximum cron patterns of one schedule. */
const maxPatterns = 5;
const patternsSchema = z.array(z.string().trim().min(1).max(100)).min(1).max(maxPatterns);

/** When a schedule runs: once, or by cron patterns of five fields, not after `until`. Times are in ms since the epoch. */
export const timingSchema = z.union([
  z.object({ at: z.number() }),
  z.object({ cron: patternsSchema, until: z.number().optional() }),
]);
export type Timing = z.infer<typeof timingSchema>;

const text = z.string().trim().min(1).max(100).optional();

/**
 * The fields that say when something runs: one of `at`, `in` and `cron`, and the bounds of a repetition. What they contain is checked where a
 * plan is made, which says what to write instead. Several patterns may be one text, with semicolons between them.
 */
export const whenFields = {
  at: text,
  in: text,
  cron: z
    .preprocess((given) => (typeof given === "string" ? given.split(";") : given), patternsSchema)
    .optional(),
  zone: text,
  from: text,
  until: text,
  times: z.number().int().min(1).max(1_000).optional(),
};

/** The same, described. */
export const whenShape = {
  at: whenFields.at.describe("ISO: 2026-11-26T09:00, local to zone unless it has an offset"),
  in: whenFields.in.describe("ISO: PT20M, PT2H, P1D"),
  cron: whenFields.cron.describe("five fields each: 0 9 * * 1-5"),
  zone: whenFields.zone.describe("IANA; the person's own unless given"),
  from: whenFields.from.describe("of cron: ISO, not before it"),
  until: whenFields.until.describe("of cron: ISO, not after it"),
  times: whenFields.times.describe("of cron: how often at most"),
};

/** When something runs, as it was written. */
export type When = z.infer<z.ZodObject<typeof whenShape>>;

const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** A cron pattern in words, `0 9 * * 1-5` as “every weekday at 09:00”; undefined if there is no short description. */
export function cronInWords(cron: string): string | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.trim().split(/\s+/);
  const days = daysInWords(day, month, weekday);
  const time = timeInWords(minute, hour);
  if (days === undefined || time === undefined) return undefined;
  return days === "every day" && time.startsWith("every") ? time : `${days} ${time}`;
}

const listed = new Intl.ListFormat("en-GB");

/** Maximum times of a day that are listed. */
const maxTimes = 12;

/** Numbers with commas between them. */
const numbers = /^\d{1,2}(,\d{1,2})*$/;

function timeInWords(minute: string, hour: string): string | undefined {
  const every = minute.startsWith("*/") ? Number(minute.slice(2)) : 60;
  if (hour === "*" && 60 % every === 0 && every < 60) return `every ${every} minutes`;
  if (!numbers.test(minute)) return undefined;
  const at = minute.split(",").map((each) => each.padStart(2, "0"));
  if (hour === "*") return `every hour at minute${at.length > 1 ? "s" : ""} ${listed.format(at)}`;
  if (!numbers.test(hour)) return undefined;
  const times = hour.split(",").flatMap((each) => at.map((past) => `${each.padStart(2, "0")}:${past}`));
  return times.length > maxTimes ? undefined : `at ${listed.format(times)}`;
}

function daysInWords(day: string, month: string, weekday: string): string | undefined {
  if (month !== "*") return undefined;
  if (day !== "*") {
    if (weekday !== "*") return undefined;
    if (day === "L") return "on the last day of every month";
    return /^\d{1,2}$/.test(day) ? `on day ${day} of every month` : undefined;
  }
  if (weekday === "*") return "every day";
  if (/^(1-5|MON-FRI)$/i.test(weekday)) return "every weekday";
  const names = weekday.split(",").map(dayName);
  return names.includes(undefined) ? undefined : `every ${names.join(" and ")}`;
}

function dayName(text: string): string | undefined {
  if (/^[0-7]$/.test(text)) return dayNames[Number(text)];
  return dayNames.find((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase());
}
