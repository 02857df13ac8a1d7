import { durationInWords } from "../../base/duration-in-words.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import { type ChatPlatforms, channelThread } from "../../core/ports/chat-platform.ts";
import {
  maxPlanText,
  type Receiver,
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
import { conditionInWords, limitProblem, nextInWords, whenInWords } from "./plan-words.ts";
import { cronProblem, minGap, nextTimes, readTime, shownTime } from "./times.ts";

export interface PlanningDeps {
  book: PlanBook;
  log: Pick<TurnReading, "list" | "read">;
  people: PeopleNow;
  tools: NeededTools;
  platforms: ChatPlatforms;
  limits: ScheduleLimits;
  now(): number;
  /** The zone in which a person reads times in a channel. */
  zoneFor(author: Author, namespace: string): Promise<string>;
}

type Timed = Extract<Wish, { what: "reminder" | "task" }>;

/** Maximum time until a schedule begins, ms; anything later is a typing error. */
const maxAheadMs = 10 * 366 * 24 * 3_600_000;

const refused = (message: string): Outcome<never> => ({ ok: false, status: 400, message });

/** Turns wishes into plans. A failure says what is wrong with the wish. */
export function createPlanning(deps: PlanningDeps): Schedules["plan"] {
  return async (planner, wish) => {
    const problem = await whyNot(deps, planner, wish);
    if (problem !== undefined) return problem;
    const { author, place } = planner;
    const common = {
      text: wish.text.trim(),
      maker: author,
      on_platform: deps.platforms.of(place.namespace) !== undefined,
      thread: place.thread,
      made_at: deps.now(),
      failures: 0,
    };
    return wish.what === "trigger" ? planTrigger(common, wish) : planSchedule(deps, planner, common, wish);
  };
}

type Common = Pick<Schedule, "text" | "maker" | "on_platform" | "thread" | "made_at" | "failures">;

/** Why this person may plan nothing here; undefined when they may. */
async function whyNot(
  deps: PlanningDeps,
  planner: Planner,
  { text, what, for: receiver }: Wish,
): Promise<Outcome<never> | undefined> {
  const { author, place, cause } = planner;
  if (cause !== undefined)
    return refused(
      cause.kind === "handoff"
        ? "An agent in the background cannot plan anything. Say in your answer what is to be planned."
        : "A run of a schedule, trigger or goal cannot plan further ones. A person has to ask for it in a message.",
    );
  if (author.trust === "guest")
    return { ok: false, status: 403, message: "Guests cannot have schedules, triggers or goals." };
  if (receiver !== undefined && what !== "reminder")
    return refused("Only reminders can be for somebody else. Nothing was made.");
  const length = text.trim().length;
  if (length === 0) return refused("The text is empty. Write what to say or do.");
  if (length > maxPlanText)
    return refused(`The text has ${length} characters; the maximum is ${maxPlanText}.`);
  const on_platform = deps.platforms.of(place.namespace) !== undefined;
  const maker = await deps.people.maker(place.namespace, {
    maker: author,
    on_platform,
    thread: place.thread,
  });
  if (maker.is === "gone") return { ok: false, status: 403, message: maker.because };
  const limitReached = limitProblem(await deps.book.list(place.namespace), author.id, deps.limits);
  return limitReached === undefined ? undefined : { ok: false, status: 409, message: limitReached };
}

async function planSchedule(
  deps: PlanningDeps,
  { author, place }: Planner,
  common: Common,
  wish: Timed,
): Promise<Outcome<Plan>> {
  const problem = wish.for && (await receiverProblem(deps, wish.for));
  if (problem !== undefined) return { ok: false, status: 409, message: `${problem} Nothing was made.` };
  const own = await deps.zoneFor(author, place.namespace);
  const zone = wish.time_zone === undefined ? own : timeZoneNamed(wish.time_zone);
  if (zone === undefined)
    return refused(`${wish.time_zone?.slice(0, 60)} is not a time zone. Write one such as Europe/Berlin.`);
  const timing = readTiming(deps, wish, zone);
  if (!timing.ok) return timing;
  const tools = await deps.tools.resolve(wish.what === "task" ? (wish.tools ?? []) : [], place.namespace);
  if (!tools.ok) return tools;
  const now = deps.now();
  const [next] = nextTimes(timing.value, zone, now, 1);
  const value: Schedule = {
    ...common,
    what: wish.what,
    for: wish.for,
    timing: timing.value,
    time_zone: zone,
    next,
    tools: tools.value,
  };
  const times = nextInWords(value, now, own).map((time) => `${time} ${own}`);
  const when = whenInWords(value);
  const does = wish.what === "reminder" ? `Remind ${(wish.for ?? author).name} of` : "Do";
  const names = tools.value.map(({ tool }) => tool);
  const unasked =
    names.length === 0
      ? ""
      : ` It may then use ${names.join(", ")} without asking again, for what this text names: with anything else it asks.`;
  const question = `${does} “${common.text}” ${when}? Next: ${times.join(", ")}.${unasked}`;
  const whom = wish.for === undefined ? {} : { for: wish.for.name };
  const shown = { what: wish.what, ...whom, text: common.text, when, next: times, tools: names };
  const asks = wish.what === "task" || "cron" in timing.value;
  return { ok: true, value: { value, question, shown, asks } };
}

/** Why a person cannot be asked whether they want a reminder; undefined when they can. */
async function receiverProblem(
  { people, log, limits }: PlanningDeps,
  { id, name, namespace }: Receiver,
): Promise<string | undefined> {
  const person = await people.person({ namespace, thread: channelThread }, id);
  if (person.is === "gone") return person.because;
  const waiting = await log.list({ status: "waiting", limit: 1_000 });
  const turns = await Promise.all(waiting.map((turn) => log.read(turn.turn_id)));
  const open = turns
    .flatMap((events) => events.reduce(foldTurn, emptyTurnView("")).approvals)
    .filter(({ state, person: only }) => state === "open" && only?.id === id);
  if (open.length < limits.open_turns) return undefined;
  return `${name} has not decided yet about ${open.length} other requests. Ask again when they have.`;
}

/** The time or cron pattern of a wish. */
function readTiming({ limits, now }: PlanningDeps, { at, cron }: Timed, zone: string): Outcome<Timing> {
  if ((at === undefined) === (cron === undefined))
    return refused("Give either one time, or a cron pattern for a repetition.");
  if (cron !== undefined) {
    const problem = cronProblem(cron, zone);
    if (problem !== undefined) return refused(problem);
    const timing = { cron: cron.trim().replace(/\s+/g, " ") };
    if (nextTimes(timing, zone, now(), 1).length === 0)
      return refused(`\`${timing.cron}\` never runs: there is no such day.`);
    const gap = minGap(timing, zone, now());
    if (gap >= limits.least_gap_ms) return { ok: true, value: timing };
    return refused(
      `Runs have to be at least ${durationInWords(limits.least_gap_ms)} apart (\`schedules.least_minutes\`); these would be ${durationInWords(gap)} apart. Nothing was made.`,
    );
  }
  const time = readTime(at ?? "", zone);
  if (time === undefined)
    return refused(
      `${(at ?? "").slice(0, 60)} is not a valid time. Write it as 2026-11-26T09:00, with an offset unless it is in ${zone}.`,
    );
  if (time <= now())
    return refused(
      `${shownTime(time, zone)} has passed: it is ${shownTime(now(), zone)} in ${zone}. Nothing was made.`,
    );
  if (time - now() > maxAheadMs) return refused("That is more than ten years away. Nothing was made.");
  return { ok: true, value: { at: time } };
}

const eventsOf = { message: "messages", reaction: "reactions", quiet: "other threads", job: "jobs" };

function planTrigger(common: Common, { condition }: Extract<Wish, { what: "trigger" }>): Outcome<Plan> {
  const problem = condition.on === "message" ? wordsProblem(condition.words) : undefined;
  if (problem !== undefined) return refused(problem);
  const { on } = condition;
  // Outside chat platforms every message is addressed to the bot; there is nothing else to hear.
  if (!common.on_platform && on !== "webhook" && !(on === "quiet" && condition.here))
    return refused(
      `A trigger on ${eventsOf[on]} is not possible here, because the bot receives only messages to it. Use a schedule, a webhook, or a watch of this thread.`,
    );
  const value: Trigger = {
    ...common,
    what: "trigger",
    condition,
    starts: 0,
    open: [],
    noted: 0,
    more: 0,
  };
  const when = conditionInWords(condition);
  const question = `Do “${common.text}” ${when}? Each time I may do only what both ${common.maker.name} and the person who causes it may do.`;
  return {
    ok: true,
    value: { value, question, shown: { what: "trigger", text: common.text, when }, asks: true },
  };
}

/** Where the runs of a plan answer. A repeating task has a thread of its own in the channel, not the thread in which it was asked for. */
export function placeOfRuns(id: string, namespace: string, plan: Schedule): Place & { in_channel?: true } {
  if (plan.for !== undefined)
    return { namespace: plan.for.namespace, thread: `schedule.${id}`, in_channel: true };
  if (plan.what === "reminder" || "at" in plan.timing) return { namespace, thread: plan.thread };
  const thread = `schedule.${id}`;
  return isDirectMessage(namespace) || !plan.on_platform
    ? { namespace, thread }
    : { namespace, thread, in_channel: true };
}
