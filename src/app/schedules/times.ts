/** When schedules run: cron patterns and times of the clock on the wall, in a zone. */
import { Cron } from "croner";
import type { Timing } from "../../core/ports/schedule.ts";

/** A local time that the clock skips runs when it goes on; one that comes twice runs the first time. */
const rules = { mode: "5-part", fixedTimeRule: "no-wildcard" } as const;

/** What is wrong with a pattern, in words for people; undefined when it can be used. */
export function cronProblem(cron: string, time_zone: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields > 5)
    return "Schedules know no seconds: a pattern has five fields (minute hour day month weekday).";
  try {
    new Cron(cron.trim(), { ...rules, timezone: time_zone });
    return undefined;
  } catch {
    return `\`${cron.slice(0, 60)}\` is no cron pattern: write five fields (minute hour day month weekday), for example \`0 9 * * 1-5\`.`;
  }
}

/** The next times after a moment (ms since the epoch), at most so many; fewer when there are no more. */
export function nextTimes(timing: Timing, time_zone: string, after: number, most: number): number[] {
  if ("at" in timing) return timing.at > after ? [timing.at] : [];
  const cron = new Cron(timing.cron, { ...rules, timezone: time_zone });
  return cron.nextRuns(most, new Date(after)).map((date) => date.getTime());
}

/** Runs that are looked at for the least time between two: a pattern of minutes shows it within an hour. */
const looked = 70;

/** The least time between two runs, ms; endless for what runs once. */
export function leastGap(timing: Timing, time_zone: string, after: number): number {
  const times = nextTimes(timing, time_zone, after, looked);
  return times.slice(1).reduce((least, time, at) => Math.min(least, time - (times[at] ?? time)), Infinity);
}

const written = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/** A written time, ISO 8601, in ms since the epoch: with an offset, or as the clock in the zone says it. Undefined when it is none. */
export function readTime(text: string, time_zone: string): number | undefined {
  const [, year, month, day, hour, minute, second = "00", offset] = written.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const asUtc = Date.parse(`${local}Z`);
  // Date takes the 30th of February for the 2nd of March.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== local) return undefined;
  if (offset !== undefined) return Date.parse(`${local}${offset}`);
  return new Cron(local, { timezone: time_zone, allowPast: true }).getOnce()?.getTime();
}

/** The clock on the wall in a zone, as a moment of UTC that reads the same. */
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
