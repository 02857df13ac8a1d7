import { beginningOf, escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { Receiver, Schedule } from "../../core/ports/schedules.ts";
import type { Cause } from "../../core/values/inbound.ts";
import { isDirectMessage, type Place } from "../../core/values/place.ts";
import type { DuePlan } from "./due-plan.ts";
import { personNow } from "./maker-now.ts";
import { starting, toolsChanged } from "./needed-tools.ts";
import { nextInWords, whenInWords } from "./plan-words.ts";
import { nextTimes, shownTime } from "./times.ts";

type DueSchedule = DuePlan<Schedule>;

/** The state of a schedule at a moment. Times are ms since the epoch. */
interface DueRun {
  /** The time to run for; undefined when all are too long ago. */
  run: number | undefined;
  /** Number of times without a run, the first of which the schedule waited for. */
  missed: number;
  /** The next time it comes due. */
  next: number | undefined;
}

/** Maximum times that are counted as missed. */
const maxCounted = 100;

/**
 * Decides what is due at `now`: the latest time that has come, unless it is too long ago. A reminder is never too late. Earlier times count
 * as missed.
 */
function dueRun({ what, timing, time_zone }: Schedule, first: number, now: number, late_ms: number): DueRun {
  const since = (after: number) => nextTimes(timing, time_zone, after, maxCounted).filter((at) => at <= now);
  const come = since(first - 1);
  const latest = since(Math.max(first, now - late_ms) - 1).at(-1) ?? come.at(-1) ?? first;
  const run = what === "reminder" || now - latest <= late_ms ? latest : undefined;
  const [next] = nextTimes(timing, time_zone, Math.max(now, first), 1);
  return { run, missed: come.length - (run === undefined ? 0 : 1), next };
}

/** Runs a schedule that is due, and sets its next time. */
export async function runSchedule(schedule: DueSchedule): Promise<void> {
  const { planning, id, namespace, value: plan } = schedule;
  const now = planning.clock.now();
  const isEarly = (plan.next ?? 0) > now && !isUnwanted(plan);
  if (plan.paused !== undefined || plan.next === undefined || isEarly) return moveOn(schedule, plan.next);
  const { in_channel, ...place } = placeOfRuns(id, namespace, plan);
  const maker = await schedule.maker(place.namespace);
  const reader = maker && (plan.for === undefined ? maker : await receiverOf(schedule, plan.for));
  if (reader === undefined) return;
  const changed = await toolsChanged(planning, plan.tools, namespace);
  if (changed === starting) return schedule.tryLater();
  if (changed !== undefined) return schedule.stop(changed);
  const due = dueRun(plan, plan.next, now, planning.limits.late_ms);
  const at = due.run ?? plan.next;
  const says = textWithoutModel(plan, due, now);
  const because = `${whenInWords(plan)}${says === undefined ? lateWords(plan, due, now) : ""}`;
  const begun = await schedule.begin({
    ...place,
    author: reader,
    key: `schedule:${id}:${at}`,
    reads: "at" in plan.timing,
    cause: { because, says, in_channel, caused_by: plan.for && [plan.maker.id] },
  });
  return begun === undefined ? schedule.tryLater() : moveOn(schedule, due.next);
}

/** Where the runs of a plan answer. A repeating task has a thread of its own in the channel, not the thread in which it was asked for. */
function placeOfRuns(id: string, namespace: string, plan: Schedule): Place & Pick<Cause, "in_channel"> {
  const thread = `schedule.${id}`;
  if (plan.for !== undefined) return { namespace: plan.for.namespace, thread, in_channel: true };
  if (plan.what === "reminder" || "at" in plan.timing) return { namespace, thread: plan.thread };
  const in_channel = (plan.on_platform && !isDirectMessage(namespace)) || undefined;
  return { namespace, thread, in_channel };
}

function isUnwanted({ for: receiver, receivers }: Schedule): boolean {
  return receiver !== undefined && receivers?.[receiver.id] !== true;
}

/** The person whom a reminder is for; undefined as for `personOr`. */
async function receiverOf(schedule: DueSchedule, { id, name, namespace }: Receiver) {
  const { planning, value } = schedule;
  if (isUnwanted(value)) return schedule.personOr({ is: "gone", because: `${name} does not want it.` });
  return schedule.personOr(await personNow(planning, { namespace, thread: value.thread }, id));
}

/** Sets the next time, or removes a schedule that has none. A schedule that was changed during the run keeps its new time. */
async function moveOn({ planning: { book }, id, value: { next: ran } }: DueSchedule, next?: number) {
  let isOver = false;
  await book.change<Schedule>(id, ({ value }) => {
    isOver = value.next === ran && value.paused === undefined && next === undefined;
    if (value.next !== ran || isOver) return undefined;
    return { value: { ...value, next, failures: 0 }, due_at: value.paused === undefined ? next : undefined };
  });
  if (isOver) await book.remove(id);
}

/** The text of a run that asks no model: a reminder, or a note about missed times. */
function textWithoutModel(plan: Schedule, due: DueRun, now: number): string | undefined {
  if (due.run === undefined) return missedText(plan, due, now);
  return plan.what === "reminder" ? reminderText(plan, due, now) : undefined;
}

/** Delay from which a run counts as late, ms. */
const lateAfterMs = 2 * 60_000;

function lateWords({ time_zone }: Schedule, { run, missed }: DueRun, now: number): string {
  const isLate = run !== undefined && now - run > lateAfterMs;
  const late = isLate ? `; late, planned for ${shownTime(run, time_zone)}` : "";
  if (missed === 0) return late;
  return `${late}${late === "" ? ";" : ","} ${missed} earlier ${missed === 1 ? "time was" : "times were"} missed`;
}

function reminderText(plan: Schedule, { run, missed }: DueRun, now: number): string {
  const { time_zone, maker, next: first = now } = plan;
  const asked = plan.for && `**${escapeMarkdown(oneLine(maker.name, 200))}** asked me to remind you: `;
  const text = `⏰ ${asked ?? ""}${plan.text}`;
  if (run === undefined || now - run <= lateAfterMs) return text;
  const others = missed > 0 ? ` and ${missed} more` : "";
  return `${text}\n\n*This is late: it was planned for ${shownTime(first, time_zone)}${others}, when I was not running.*`;
}

function missedText(plan: Schedule, { missed, next }: DueRun, now: number): string {
  const { text, time_zone, next: first = now } = plan;
  const others = missed > 1 ? ` and ${missed - 1} more` : "";
  const then = next === undefined ? "" : ` Next: ${nextInWords({ ...plan, next }, now, time_zone)[0]}.`;
  return `I was not running at ${shownTime(first, time_zone)}${others} (${time_zone}), so this was not done: “${beginningOf(text, 500)}”.${then}`;
}
