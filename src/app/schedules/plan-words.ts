/** Schedules and triggers in words, for lists, questions and why a turn runs. */

import { cronInWords } from "../../core/ports/plan-times.ts";
import type { PlannedView, Schedule, TriggerCondition } from "../../core/ports/schedules.ts";
import type { Planned } from "./plan-book.ts";
import { nextTimes, shownTime } from "./times.ts";

/** How many next times a person is shown. */
const maxShown = 3;

/**
 * When a schedule runs: `every weekday at 09:00 (Europe/Berlin)`. A pattern without a short description is shown by its next times, from
 * the one that the schedule waits for.
 */
export function whenInWords(plan: Schedule): string {
  const { timing, time_zone } = plan;
  if ("at" in timing) return `on ${shownTime(timing.at, time_zone)} (${time_zone})`;
  const words = timing.cron.map(cronInWords);
  const when = words.includes(undefined) ? timesInWords(plan, timing.cron) : words.join(" and ");
  const end = timing.until === undefined ? "" : `, until ${shownTime(timing.until, time_zone)}`;
  return `${when}${end} (${time_zone})`;
}

/** `on Mon 2026-12-07 09:00, Mon 2027-01-04 09:00 and so on, cron 0 9 * * 1#1`. */
function timesInWords(plan: Schedule, cron: readonly string[]): string {
  const times = nextInWords(plan, 0, plan.time_zone);
  const pattern = `cron ${cron.join("; ")}`;
  return times.length === 0 ? pattern : `on ${times.join(", ")} and so on, ${pattern}`;
}

/** `on a message with “deploy failed”`. */
export function conditionInWords(condition: TriggerCondition): string {
  switch (condition.on) {
    case "webhook":
      return "on a request to its webhook";
    case "message":
      return `on a message with ${condition.words.includes('"') ? condition.words : `“${condition.words}”`}`;
    case "reaction":
      return `on the reaction ${condition.emoji}`;
    case "quiet":
      return `when nobody has answered ${condition.here ? "here" : "in a thread"} for ${condition.hours} h`;
    case "job":
      return `on news of a job (${condition.language})`;
    default:
      return condition satisfies never;
  }
}

/** The next times of a schedule, in the given zone. */
export function nextInWords(plan: Schedule, after: number, zone: string): string[] {
  return nextOf(plan, after).map((at) => shownTime(at, zone));
}

function nextOf({ timing, time_zone, next }: Schedule, after: number): number[] {
  return next === undefined ? [] : nextTimes(timing, time_zone, Math.max(after, next - 1), maxShown);
}

/** A plan as people read it, with times in the reader's zone. */
export function viewOf({ id, value }: Planned, now: number, zone: string): PlannedView {
  const isTrigger = value.what === "trigger";
  const next = isTrigger || value.paused !== undefined ? [] : nextOf(value, now);
  return {
    id,
    what: value.what,
    text: value.text,
    by: value.maker.name,
    for: value.for?.name,
    when: isTrigger ? conditionInWords(value.condition) : whenInWords(value),
    next: next.map((at) => `${shownTime(at, zone)} ${zone}`),
    next_at: next,
    tools: isTrigger ? [] : value.tools.map(({ tool }) => tool),
    paused: value.paused?.because,
  };
}
