import type { TurnReading } from "../../core/log/turn-log.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import { type ChatPlatforms, channelThread } from "../../core/ports/chat-platform.ts";
import type { When } from "../../core/ports/plan-times.ts";
import {
  maxPlanText,
  type Receiver,
  type Schedule,
  type ScheduleLimits,
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
import { planTiming } from "./plan-timing.ts";
import { conditionInWords, limitProblem, nextInWords, whenInWords } from "./plan-words.ts";
import type { Entry } from "./planning.ts";

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

function refused(message: string): Outcome<never> & { ok: false } {
  return { ok: false, status: 400, message };
}

/** Turns wishes into plans. A failure says what is wrong with the wish. */
export function createPlanning(deps: PlanningDeps): Schedules["plan"] {
  return async (planner, wish) => {
    const problem = whyNoPlans(planner) ?? (await whyNot(deps, planner, wish));
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
    if (wish.what === "trigger") return planTrigger(common, wish);
    const receiver = wish.for && (await receiverProblem(deps, wish.for));
    if (receiver !== undefined) return { ok: false, status: 409, message: `${receiver} Nothing was made.` };
    const tools = await deps.tools.resolve(wish.what === "task" ? (wish.tools ?? []) : [], place.namespace);
    if (!tools.ok) return tools;
    return planSchedule(
      deps,
      planner,
      { ...common, what: wish.what, for: wish.for, tools: tools.value },
      wish,
    );
  };
}

/** Plans new times of a schedule. `mayChange` finds a plan that the person may change. */
export function createReplanning(
  deps: PlanningDeps,
  mayChange: (planner: Planner, id: string) => Promise<Outcome<Entry<Schedule | Trigger>>>,
): Schedules["replan"] {
  return async (planner, id, when) => {
    const found = whyNoPlans(planner) ?? (await mayChange(planner, id));
    if (!found.ok) return found;
    const { value } = found.value;
    if (value.what === "trigger") return refused("A trigger has no times. Remove it, and add another one.");
    if (value.for?.id === planner.author.id && value.maker.id !== planner.author.id)
      return refused(`Only ${value.maker.name}, who asked for the reminder, may change its times.`);
    const isNew = [when.at, when.in, when.cron].some((given) => given !== undefined);
    const stays = isNew ? {} : repetitionOf(value, when.zone);
    // Whoever agreed to its direct messages agreed to the earlier times.
    const receivers = Object.entries(value.receivers ?? {}).filter(([, agrees]) => !agrees);
    const kept = { ...value, receivers: Object.fromEntries(receivers), failures: 0 };
    const plan = await planSchedule(deps, planner, kept, { ...when, ...stays });
    return plan.ok ? { ok: true, value: { ...plan.value, changes: id } } : plan;
  };
}

/** The patterns of a schedule and their zone, unless another is given, for new bounds of its repetition. */
function repetitionOf({ timing, time_zone }: Schedule, zone = time_zone): Pick<When, "cron" | "zone"> {
  return "at" in timing ? {} : { cron: timing.cron, zone };
}

type Common = Pick<Schedule, "text" | "maker" | "on_platform" | "thread" | "made_at" | "failures">;

/** Why this person may plan nothing at all; undefined when they may. */
function whyNoPlans({ author, cause }: Planner): (Outcome<never> & { ok: false }) | undefined {
  if (cause !== undefined)
    return refused(
      cause.kind === "handoff"
        ? "An agent in the background cannot plan anything. Say in your answer what is to be planned."
        : "A run of a schedule, trigger or goal cannot plan further ones. A person has to ask for it in a message.",
    );
  if (author.trust !== "guest") return undefined;
  return { ok: false, status: 403, message: "Guests cannot have schedules, triggers or goals." };
}

/** Why this wish cannot be planned here; undefined when it can. */
async function whyNot(
  deps: PlanningDeps,
  { author, place }: Planner,
  { text, what, for: receiver }: Wish,
): Promise<Outcome<never> | undefined> {
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

/** Gives a schedule its times. The question and the view name them in the planner's own zone. */
async function planSchedule(
  { zoneFor, limits, now: clock }: PlanningDeps,
  { author, place }: Planner,
  unplanned: Omit<Schedule, "timing" | "time_zone" | "next">,
  when: When,
): Promise<Outcome<Plan>> {
  const own = await zoneFor(author, place.namespace);
  const zone = when.zone === undefined ? own : timeZoneNamed(when.zone);
  if (zone === undefined)
    return refused(`${when.zone?.slice(0, 60)} is not a time zone. Write one such as Europe/Berlin.`);
  const now = clock();
  const read = planTiming(when, { least_gap_ms: limits.least_gap_ms, now, zone });
  if (!read.ok) return read;
  const { timing, next } = read.value;
  const value: Schedule = { ...unplanned, timing, time_zone: zone, next };
  const { what, text, for: receiver, maker } = value;
  const times = nextInWords(value, now, own).map((time) => `${time} ${own}`);
  const words = whenInWords(value);
  const does = what === "reminder" ? `Remind ${(receiver ?? maker).name} of` : "Do";
  const tools = value.tools.map(({ tool }) => tool);
  const unasked =
    tools.length === 0
      ? ""
      : ` It may then use ${tools.join(", ")} without asking again, for what this text names: with anything else it asks.`;
  const question = `${does} “${text}” ${words}? Next: ${times.join(", ")}.${unasked}`;
  const whom = receiver === undefined ? {} : { for: receiver.name };
  const shown = { what, ...whom, text, when: words, next: times, tools };
  return { ok: true, value: { value, question, shown, asks: what === "task" || "cron" in timing } };
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
