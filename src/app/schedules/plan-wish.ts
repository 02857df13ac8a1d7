import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import {
  maxPlanText,
  type Schedule,
  type ScheduleLimits,
  type Timing,
  type Trigger,
  wordsProblem,
} from "../../core/ports/schedule.ts";
import type { Plan, Planner, Schedules, Wish } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { type Author, timeZoneNamed } from "../../core/values/inbound.ts";
import { isDirectMessage, type Place } from "../../core/values/place.ts";
import type { PeopleNow } from "./maker-now.ts";
import type { NeededTools } from "./needed-tools.ts";
import type { PlanBook } from "./plan-book.ts";
import { conditionInWords, minutes, nextInWords, tooMany, whenInWords } from "./plan-words.ts";
import { cronProblem, leastGap, nextTimes, readTime, shownTime } from "./times.ts";

export interface PlanningDeps {
  book: PlanBook;
  people: PeopleNow;
  tools: NeededTools;
  platforms: ChatPlatforms;
  limits: ScheduleLimits;
  now(): number;
  /** The zone in which somebody reads times in a channel. */
  zoneFor(author: Author, namespace: string): Promise<string>;
}

type Timed = Extract<Wish, { what: "reminder" | "task" }>;

/** The farthest a schedule may begin, ms: more than that is a slip of the pen. */
const farthest = 10 * 366 * 24 * 3_600_000;

const refused = (message: string): Outcome<never> => ({ ok: false, status: 400, message });

/** Makes plans of wishes, and says what is wrong with the others. */
export function createPlanning(deps: PlanningDeps): Schedules["plan"] {
  return async (planner, wish) => {
    const problem = await whyNot(deps, planner, wish);
    if (problem !== undefined) return problem;
    const { author, place } = planner;
    const alike = {
      text: wish.text.trim(),
      maker: author,
      on_platform: deps.platforms.of(place.namespace) !== undefined,
      thread: place.thread,
      made_at: deps.now(),
      failures: 0,
    };
    return wish.what === "trigger" ? planTrigger(alike, wish) : planSchedule(deps, planner, alike, wish);
  };
}

type Alike = Pick<Schedule, "text" | "maker" | "on_platform" | "thread" | "made_at" | "failures">;

/** What stands against any plan of this person here. */
async function whyNot(
  deps: PlanningDeps,
  planner: Planner,
  { text }: Wish,
): Promise<Outcome<never> | undefined> {
  const { author, place, cause } = planner;
  if (cause !== undefined)
    return refused("What a schedule or trigger began makes no further ones. Somebody has to ask for it.");
  if (author.trust === "guest")
    return { ok: false, status: 403, message: "Guests can have no schedules and triggers." };
  const length = text.trim().length;
  if (length === 0) return refused("It says nothing: write what is to be said or done.");
  if (length > maxPlanText) return refused(`The text has ${length} characters; ${maxPlanText} are the most.`);
  const on_platform = deps.platforms.of(place.namespace) !== undefined;
  const maker = await deps.people.maker(place.namespace, {
    maker: author,
    on_platform,
    thread: place.thread,
  });
  if (maker.is === "gone") return { ok: false, status: 403, message: maker.because };
  const many = tooMany(await deps.book.list(place.namespace), author.id, deps.limits);
  return many === undefined ? undefined : { ok: false, status: 409, message: many };
}

async function planSchedule(
  deps: PlanningDeps,
  { author, place }: Planner,
  alike: Alike,
  wish: Timed,
): Promise<Outcome<Plan>> {
  const own = await deps.zoneFor(author, place.namespace);
  const zone = wish.time_zone === undefined ? own : timeZoneNamed(wish.time_zone);
  if (zone === undefined)
    return refused(`${wish.time_zone?.slice(0, 60)} is no time zone. Write one such as Europe/Berlin.`);
  const timing = readTiming(deps, wish, zone);
  if (!timing.ok) return timing;
  const tools = await deps.tools.resolve(wish.what === "task" ? (wish.tools ?? []) : [], place.namespace);
  if (!tools.ok) return tools;
  const now = deps.now();
  const [next] = nextTimes(timing.value, zone, now, 1);
  const value: Schedule = {
    ...alike,
    what: wish.what,
    timing: timing.value,
    time_zone: zone,
    next,
    tools: tools.value,
  };
  const times = nextInWords(value, now, own).map((time) => `${time} ${own}`);
  const when = whenInWords(value);
  const does = wish.what === "reminder" ? `Remind ${author.name} of` : "Do";
  const names = tools.value.map(({ tool }) => tool);
  const unasked =
    names.length === 0
      ? ""
      : ` It may then use ${names.join(", ")} without asking again, for what this text names: with anything else it asks.`;
  const question = `${does} “${alike.text}” ${when}? Next: ${times.join(", ")}.${unasked}`;
  const shown = { what: wish.what, text: alike.text, when, next: times, tools: names };
  return {
    ok: true,
    value: { value, question, shown, asks: wish.what === "task" || "cron" in timing.value },
  };
}

/** When, as it was written. */
function readTiming({ limits, now }: PlanningDeps, { at, cron }: Timed, zone: string): Outcome<Timing> {
  if ((at === undefined) === (cron === undefined))
    return refused("Say when: either one time, or a cron pattern for what repeats.");
  if (cron !== undefined) {
    const problem = cronProblem(cron, zone);
    if (problem !== undefined) return refused(problem);
    const timing = { cron: cron.trim().replace(/\s+/g, " ") };
    if (nextTimes(timing, zone, now(), 1).length === 0)
      return refused(`\`${timing.cron}\` never comes: no such day.`);
    const gap = leastGap(timing, zone, now());
    if (gap >= limits.least_gap_ms) return { ok: true, value: timing };
    return refused(
      `Runs have to be at least ${minutes(limits.least_gap_ms)} apart (\`schedules.least_minutes\`); these would be ${minutes(gap)} apart. Nothing was made.`,
    );
  }
  const time = readTime(at ?? "", zone);
  if (time === undefined)
    return refused(
      `${(at ?? "").slice(0, 60)} is no time. Write it as 2026-11-26T09:00, with the offset where it is not of ${zone}.`,
    );
  if (time <= now())
    return refused(
      `${shownTime(time, zone)} is over: it is ${shownTime(now(), zone)} in ${zone}. Nothing was made.`,
    );
  if (time - now() > farthest) return refused("That is more than ten years away. Nothing was made.");
  return { ok: true, value: { at: time } };
}

const heardOf = { message: "messages", reaction: "reactions", quiet: "other threads" };

function planTrigger(alike: Alike, { condition }: Extract<Wish, { what: "trigger" }>): Outcome<Plan> {
  const problem = condition.on === "message" ? wordsProblem(condition.words) : undefined;
  if (problem !== undefined) return refused(problem);
  const { on } = condition;
  // Outside of chat platforms everything is said to the bot, and nothing else is heard.
  if (!alike.on_platform && on !== "webhook" && !(on === "quiet" && condition.here))
    return refused(
      `A trigger on ${heardOf[on]} is not possible here: only what is said to the bot is heard. A schedule, a webhook, or a watch of this thread is possible.`,
    );
  const value: Trigger = {
    ...alike,
    what: "trigger",
    condition,
    starts: 0,
    open: [],
    held: [],
    noted: 0,
    more: 0,
  };
  const when = conditionInWords(condition);
  const question = `Do “${alike.text}” ${when}? It then runs with the lower rights of ${alike.maker.name} and of who caused it.`;
  return {
    ok: true,
    value: { value, question, shown: { what: "trigger", text: alike.text, when }, asks: true },
  };
}

/** Where a repeating task answers and keeps its conversation: in the channel itself, not in the thread somebody asked for it. */
export function placeOfRuns(id: string, namespace: string, plan: Schedule): Place & { in_channel?: true } {
  if (plan.what === "reminder" || "at" in plan.timing) return { namespace, thread: plan.thread };
  const thread = `schedule.${id}`;
  return isDirectMessage(namespace) || !plan.on_platform
    ? { namespace, thread }
    : { namespace, thread, in_channel: true };
}
