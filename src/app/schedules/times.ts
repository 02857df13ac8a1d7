/** When schedules run: cron patterns and local times, in a time zone. */
import { Cron } from "croner";
import { DateTime, Duration } from "luxon";
import { durationInWords } from "../../base/duration-in-words.ts";
import type { Timing, When } from "../../core/ports/plan-times.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { refused } from "./planning.ts";

/** A local time that the clock skips runs right after the gap; one that occurs twice runs the first time. */
const rules = { mode: "5-part", fixedTimeRule: "no-wildcard" } as const;

/** Why a pattern is invalid, for people; undefined when it is valid. */
export function cronProblem(cron: string, time_zone: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields > 5)
    return "Schedules do not support seconds: a pattern has five fields (minute hour day month weekday).";
  try {
    new Cron(cron.trim(), { ...rules, timezone: time_zone });
    return undefined;
  } catch {
    return `\`${cron.slice(0, 60)}\` is not a valid cron pattern. Write five fields (minute hour day month weekday), for example \`0 9 * * 1-5\`.`;
  }
}

/** The next times after a moment (ms since the epoch), at most `max`, of all patterns together. */
export function nextTimes(timing: Timing, time_zone: string, after: number, max: number): number[] {
  if ("at" in timing) return timing.at > after ? [timing.at] : [];
  const { cron, until = Infinity } = timing;
  const runs = cron.flatMap((pattern) =>
    new Cron(pattern, { ...rules, timezone: time_zone }).nextRuns(max, new Date(after)),
  );
  const times = new Set(runs.map((date) => date.getTime()).filter((time) => time <= until));
  return [...times].sort((one, other) => one - other).slice(0, max);
}

/** Runs that are compared to find the shortest gap: a pattern of minutes repeats within an hour. */
const comparedRuns = 70;

/** The shortest time between two runs, ms; infinite for a single run. */
export function minGap(timing: Timing, time_zone: string, after: number): number {
  const times = nextTimes(timing, time_zone, after, comparedRuns);
  return times.slice(1).reduce((least, time, at) => Math.min(least, time - (times[at] ?? time)), Infinity);
}

const written = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * An ISO 8601 time in ms since the epoch; without an offset it is local to the zone, and the first one of a time that occurs twice.
 * Undefined when the text is not a valid time.
 */
export function readTime(text: string, time_zone: string): number | undefined {
  const match = written.exec(text.trim());
  if (match === null) return undefined;
  const iso = match[0].replace(" ", "T").replaceAll(/\s/g, "");
  const time = DateTime.fromISO(iso, { zone: time_zone });
  if (!time.isValid) return undefined;
  const times = match[1] === undefined ? time.getPossibleOffsets() : [time];
  return Math.min(...times.map((each) => each.toMillis()));
}

/** `Thu 2026-11-26 09:00`. */
export function shownTime(at: number, time_zone: string): string {
  return DateTime.fromMillis(at, { zone: time_zone, locale: "en-US" }).toFormat("ccc yyyy-MM-dd HH:mm");
}

/** What a time is read with. */
interface TimingContext {
  /** Minimum time between two runs, ms. */
  least_gap_ms: number;
  /** ms since the epoch. */
  now: number;
  /** The zone of times without an offset, IANA name. */
  zone: string;
}

/** A timing, and its first time, ms since the epoch. */
interface ReadTiming {
  timing: Timing;
  next: number;
}

/** Maximum time until a schedule begins, ms; anything later is a typing error. */
const maxAheadMs = 10 * 366 * 24 * 3_600_000;

/** Reads when something runs. A failure says what is wrong and what to write instead. */
export function planTiming(when: When, context: TimingContext): Outcome<ReadTiming> {
  const { at, in: after, cron, from, until, times } = when;
  const given = [at, after, cron].filter((each) => each !== undefined);
  if (given.length !== 1)
    return refused(
      "Give exactly one of `at` (2026-11-26T09:00), `in` (PT20M) and `cron` (0 9 * * 1-5). Nothing was made.",
    );
  if (cron !== undefined) return planRepetition({ cron, from, until, times }, context);
  if (from !== undefined || until !== undefined || times !== undefined)
    return refused("`from`, `until` and `times` are for a repetition: give them with `cron`.");
  const time = at === undefined ? timeAfter(after ?? "", context) : timeAt(at, context);
  return time.ok ? planOnce(time.value, context) : time;
}

function timeAt(at: string, { zone, now }: TimingContext): Outcome<number> {
  const time = readTime(at, zone);
  if (time !== undefined) return { ok: true, value: time };
  return refused(
    `“${at.slice(0, 60)}” is not a valid time. Write the date and the time as in 2026-11-26T09:00, with an offset (+09:00) unless it is in ${zone}: ${nowIn(zone, now)}`,
  );
}

/** Days, weeks and months are those of the zone's calendar. */
function timeAfter(duration: string, { zone, now }: TimingContext): Outcome<number> {
  const length = Duration.fromISO(duration);
  if (length.isValid) return { ok: true, value: DateTime.fromMillis(now, { zone }).plus(length).toMillis() };
  return refused(
    `“${duration.slice(0, 60)}” is not a valid duration. Write it as PT20M, PT2H, P1D or P2W; a date and time go into \`at\`.`,
  );
}

function planOnce(at: number, { zone, now }: TimingContext): Outcome<ReadTiming> {
  if (at <= now) return refused(`That time has passed: ${nowIn(zone, now)} Nothing was made.`);
  // An invalid date, too, which a very long duration gives.
  if (!(at - now <= maxAheadMs)) return refused("That is more than ten years away. Nothing was made.");
  return { ok: true, value: { timing: { at }, next: at } };
}

type Repetition = Pick<When, "from" | "until" | "times"> & { cron: readonly string[] };

function planRepetition(repetition: Repetition, context: TimingContext): Outcome<ReadTiming> {
  const { least_gap_ms, now, zone } = context;
  const cron = repetition.cron.map((pattern) => pattern.trim().replace(/\s+/g, " "));
  const problem = cron.map((pattern) => cronProblem(pattern, zone)).find((each) => each !== undefined);
  if (problem !== undefined) return refused(problem);
  const never = cron.find((pattern) => nextTimes({ cron: [pattern] }, zone, now, 1).length === 0);
  if (never !== undefined) return refused(`\`${never}\` never runs: there is no such day.`);
  const bounds = readBounds({ ...repetition, cron }, context);
  if (!bounds.ok) return bounds;
  const { after, until } = bounds.value;
  const timing: Timing = until === Infinity ? { cron } : { cron, until };
  const [next] = nextTimes(timing, zone, after, 1);
  if (next === undefined)
    return refused(`No run is left: the bounds end before the first one; ${nowIn(zone, now)}`);
  if (next - now > maxAheadMs) return refused("That is more than ten years away. Nothing was made.");
  const gap = minGap(timing, zone, next - 1);
  if (gap >= least_gap_ms) return { ok: true, value: { timing, next } };
  return refused(
    `Runs have to be at least ${durationInWords(least_gap_ms)} apart (\`schedules.least_minutes\`); these would be ${durationInWords(gap)} apart. Nothing was made.`,
  );
}

/** After which time runs begin, and the last one's; infinite without an end. A number of runs ends with the last of them. */
function readBounds(
  { cron, from, until, times }: Repetition,
  { now, zone }: TimingContext,
): Outcome<{ after: number; until: number }> {
  const first = from === undefined ? now : boundIn(from, zone, "00:00:00");
  const last = until === undefined ? Infinity : boundIn(until, zone, "23:59:59");
  if (first === undefined || last === undefined) {
    const written = (first === undefined ? from : until) ?? "";
    return refused(
      `“${written.slice(0, 60)}” is not a valid bound. Write a date or a time: 2026-12-31 or 2026-12-31T18:00.`,
    );
  }
  const after = Math.max(now, first - 1);
  const counted = times === undefined ? undefined : nextTimes({ cron: [...cron] }, zone, after, times).at(-1);
  return { ok: true, value: { after, until: Math.min(last, counted ?? Infinity) } };
}

/** A time, or a day at a time of day. */
function boundIn(text: string, zone: string, timeOfDay: string): number | undefined {
  return readTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T${timeOfDay}` : text, zone);
}

function nowIn(zone: string, now: number): string {
  return `it is ${shownTime(now, zone)} in ${zone}.`;
}
