import { beginningOf, escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { Schedule, ScheduleLimits } from "../../core/ports/schedule.ts";
import type { PersonNow } from "./maker-now.ts";
import { starting } from "./needed-tools.ts";
import { placeOfRuns } from "./plan-wish.ts";
import { nextInWords, whenInWords } from "./plan-words.ts";
import type { Entry } from "./planning.ts";
import { begin, holdWhilePaused, pauseAndTell, type RunDeps, tryLater } from "./run-plan.ts";
import { nextTimes, shownTime } from "./times.ts";

/** The state of a schedule at a moment. Times are ms since the epoch. */
interface DueRun {
  /** The time to run for; undefined when all are too long ago. */
  run: number | undefined;
  /** Times without a run: the first one, and how many. */
  missed: { first: number; count: number } | undefined;
  /** The next time it comes due. */
  next: number | undefined;
}

/** Maximum times that are counted as missed. */
const maxCounted = 100;

/**
 * Decides what is due at `now`: the latest time that has come, unless it is too long ago. A reminder is never too late. Earlier times count
 * as missed.
 */
function dueRun(plan: Schedule, now: number, { late_ms }: Pick<ScheduleLimits, "late_ms">): DueRun {
  const first = plan.next ?? now;
  const since = (after: number) =>
    nextTimes(plan.timing, plan.time_zone, after, maxCounted).filter((at) => at <= now);
  const come = since(first - 1);
  const latest = since(Math.max(first, now - late_ms) - 1).at(-1) ?? come.at(-1) ?? first;
  const run = plan.what === "reminder" || now - latest <= late_ms ? latest : undefined;
  const missed = come.length - (run === undefined ? 0 : 1);
  const [next] = nextTimes(plan.timing, plan.time_zone, Math.max(now, first), 1);
  return { run, missed: missed > 0 ? { first, count: missed } : undefined, next };
}

/** Runs a schedule that is due, and sets its next time. Every step can be repeated after a crash. */
export async function runSchedule(deps: RunDeps, entry: Entry<Schedule>): Promise<void> {
  const { id, namespace, value: plan } = entry;
  const isEarly = (plan.next ?? 0) > deps.now() && !isUnwanted(plan);
  if (plan.paused !== undefined || plan.next === undefined || isEarly) return moveOn(deps, entry, plan.next);
  const place = placeOfRuns(id, namespace, plan);
  if (await deps.isPaused(place.namespace)) return holdWhilePaused(deps, id);
  const reader = await readerOf(deps, namespace, plan);
  if (reader.is === "away") return tryLater(deps, id);
  if (reader.is === "gone") return pauseAndTell(deps, entry, reader.because);
  const changed = await deps.tools.changed(plan.tools, namespace);
  if (changed === starting) return tryLater(deps, id);
  if (changed !== undefined) return pauseAndTell(deps, entry, changed);
  const due = dueRun(plan, deps.now(), deps.limits);
  const at = due.run ?? plan.next;
  const says = textWithoutModel(plan, due, deps.now());
  const because = `${whenInWords(plan)}${says === undefined ? lateWords(plan, due, deps.now()) : ""}`;
  const begun = await begin(deps, entry, {
    author: reader.author,
    place,
    key: `schedule:${id}:${at}`,
    reads: "at" in plan.timing,
    cause: { because, says, caused_by: plan.for && [plan.maker.id] },
  });
  return begun === undefined ? tryLater(deps, id) : moveOn(deps, entry, due.next);
}

function isUnwanted({ for: receiver, receivers }: Schedule): boolean {
  return receiver !== undefined && receivers?.[receiver.id] !== true;
}

/** Who reads the runs of a schedule: its maker, if they may still have it, or the person whom it reminds for them. */
async function readerOf({ people }: RunDeps, namespace: string, plan: Schedule): Promise<PersonNow> {
  const maker = await people.maker(namespace, plan);
  const { for: receiver, thread } = plan;
  if (maker.is !== "there" || receiver === undefined) return maker;
  if (isUnwanted(plan)) return { is: "gone", because: `${receiver.name} does not want it.` };
  return people.person({ namespace: receiver.namespace, thread }, receiver.id);
}

/** Sets the next time, or removes a schedule that has none. A schedule that was changed during the run keeps its new time. */
async function moveOn(
  { book }: RunDeps,
  { id, value: { next: ran } }: Entry<Schedule>,
  next: number | undefined,
) {
  let isOver = false;
  await book.change(id, ({ value }) => {
    if (value.what === "trigger") return undefined;
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

function lateWords(plan: Schedule, { run, missed }: DueRun, now: number): string {
  const late = run !== undefined && now - run > lateAfterMs;
  const before =
    missed === undefined
      ? ""
      : `, ${missed.count} earlier ${missed.count === 1 ? "time was" : "times were"} missed`;
  return late ? `; late, planned for ${shownTime(run, plan.time_zone)}${before}` : before.replace(",", ";");
}

function reminderText(plan: Schedule, { run, missed }: DueRun, now: number): string {
  const { time_zone, maker } = plan;
  const asked = plan.for && `**${escapeMarkdown(oneLine(maker.name, 200))}** asked me to remind you: `;
  const text = `${asked ?? ""}${plan.text}`;
  if (run === undefined || now - run <= lateAfterMs) return `⏰ ${text}`;
  const first = missed?.first ?? run;
  const others = missed === undefined ? "" : ` and ${missed.count} more`;
  return `⏰ ${text}\n\n*This is late: it was planned for ${shownTime(first, time_zone)}${others}, when I was not running.*`;
}

function missedText(plan: Schedule, { missed, next }: DueRun, now: number): string {
  const { text, time_zone } = plan;
  const first = shownTime(missed?.first ?? plan.next ?? now, time_zone);
  const more = (missed?.count ?? 1) - 1;
  const others = more > 0 ? ` and ${more} more` : "";
  const then = next === undefined ? "" : ` Next: ${nextInWords({ ...plan, next }, now, time_zone)[0]}.`;
  return `I was not running at ${first}${others} (${time_zone}), so this was not done: “${beginningOf(text, 500)}”.${then}`;
}
