/** When schedules run: cron patterns and local times, in a time zone. */
import { Cron } from "croner";
import type { Timing } from "../../core/ports/plan-times.ts";

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

const written = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/** An ISO 8601 time in ms since the epoch; without an offset it is local to the zone. Undefined when the text is not a valid time. */
export function readTime(text: string, time_zone: string): number | undefined {
  const [, year, month, day, hour, minute, second = "00", offset] = written.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const asUtc = Date.parse(`${local}Z`);
  // Date reads February 30 as March 2.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== local) return undefined;
  if (offset !== undefined) return Date.parse(`${local}${offset}`);
  return new Cron(local, { timezone: time_zone, allowPast: true }).getOnce()?.getTime();
}

/** The local time in a zone, as the UTC moment that reads the same. */
export function wallClock(at: number, time_zone: string): number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: time_zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return Date.parse(`${format.format(at).replace(" ", "T")}Z`);
}

/** `Thu 2026-11-26 09:00`. */
export function shownTime(at: number, time_zone: string): string {
  const wall = new Date(wallClock(at, time_zone)).toISOString();
  const weekday = new Intl.DateTimeFormat("en-US", { timeZone: time_zone, weekday: "short" }).format(at);
  return `${weekday} ${wall.slice(0, 10)} ${wall.slice(11, 16)}`;
}
