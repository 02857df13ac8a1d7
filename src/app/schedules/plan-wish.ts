import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import { channelThread } from "../../core/ports/chat-platform.ts";
import type { When } from "../../core/ports/plan-times.ts";
import {
  maxPlanText,
  type Planner,
  type Proposal,
  type Receiver,
  type Schedule,
  type TriggerCondition,
  triggerSchema,
  type WantedReceiver,
  type Wish,
} from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { timeZoneNamed } from "../../core/values/inbound.ts";
import { mentioned, named } from "../../core/values/label.ts";
import { makerNow, personNow } from "./maker-now.ts";
import { resolveTools } from "./needed-tools.ts";
import { limitProblem, mayChange, whyNoPlans } from "./plan-rights.ts";
import { conditionInWords, nextInWords, whenInWords } from "./plan-words.ts";
import { madeBy, type Planning, refused, zoneFor } from "./planning.ts";
import { planTiming } from "./times.ts";
import { wordsProblem } from "./trigger-words.ts";

/** What every new plan has before it is known when it runs. */
type Common = Pick<Schedule, "text" | "maker" | "on_platform" | "thread" | "made_at" | "failures">;

/** Turns wishes of one person in one place into proposals. A failure says what is wrong with the wish. */
export class WishDesk {
  readonly #planning: Planning;
  readonly #planner: Planner;

  constructor(planning: Planning, planner: Planner) {
    this.#planning = planning;
    this.#planner = planner;
  }

  /** @param receiver whom a reminder is for, if not the planner */
  async propose(wish: Wish, receiver?: WantedReceiver): Promise<Outcome<Proposal>> {
    const problem = whyNoPlans(this.#planner);
    if (problem !== undefined) return problem;
    if (wish.what === "change") return this.#change(wish.id, wish);
    const common = { ...madeBy(this.#planning, this.#planner), text: wish.text.trim() };
    const reason = textProblem(common.text) ?? (await this.#whyNot(common));
    if (reason !== undefined) return reason;
    if (receiver !== undefined && wish.what !== "reminder")
      return refused("Only reminders can be for somebody else. Nothing was made.");
    if (wish.what === "trigger") return proposeTrigger(common, wish.condition);
    const unasked = receiver && (await this.#receiverProblem(receiver));
    if (unasked !== undefined) return refused(`${unasked} Nothing was made.`, 409);
    const { what, tools: names = [] } = wish;
    const { namespace } = this.#planner.place;
    const tools = await resolveTools(this.#planning, what === "task" ? names : [], namespace);
    if (!tools.ok) return tools;
    const whom = receiver && { id: receiver.id, name: receiver.name, namespace: receiver.namespace };
    return this.#schedule({ ...common, what, for: whom, tools: tools.value }, wish, receiver?.who);
  }

  /** New times of a schedule. */
  async #change(id: string, when: When): Promise<Outcome<Proposal>> {
    const found = await mayChange(this.#planning, this.#planner, id);
    if (!found.ok) return found;
    const { value } = found.value;
    if (value.what === "trigger") return refused("A trigger has no times. Remove it, and add another one.");
    const { id: planner } = this.#planner.author;
    if (value.for?.id === planner && value.maker.id !== planner)
      return refused(`Only ${value.maker.name}, who asked for the reminder, may change its times.`);
    const isNew = [when.at, when.in, when.cron].some((given) => given !== undefined);
    const { timing, time_zone } = value;
    const stays = isNew || "at" in timing ? {} : { cron: timing.cron, zone: when.zone ?? time_zone };
    // Whoever agreed to its direct messages agreed to the earlier times.
    const receivers = Object.entries(value.receivers ?? {}).filter(([, agrees]) => !agrees);
    const kept = { ...value, receivers: Object.fromEntries(receivers), failures: 0 };
    const proposal = await this.#schedule(kept, { ...when, ...stays });
    return proposal.ok ? { ok: true, value: { ...proposal.value, changes: id } } : proposal;
  }

  /** Why nothing more can be planned here by its maker; undefined when it can. */
  async #whyNot(plan: Common): Promise<Outcome<never> | undefined> {
    const { book, limits } = this.#planning;
    const { namespace } = this.#planner.place;
    const maker = await makerNow(this.#planning, namespace, plan);
    if (maker.is === "gone") return refused(maker.because, 403);
    return limitProblem(await book.list(namespace), plan.maker.id, limits);
  }

  /** Gives a schedule its times. The question and the view name them in the planner's own zone. `who`: its receiver, as cards name them. */
  async #schedule(
    unplanned: Omit<Schedule, "timing" | "time_zone" | "next">,
    when: When,
    who?: string,
  ): Promise<Outcome<Proposal>> {
    const { clock, limits } = this.#planning;
    const { author, place } = this.#planner;
    const own = await zoneFor(this.#planning, author, place.namespace);
    const zone = when.zone === undefined ? own : timeZoneNamed(when.zone);
    if (zone === undefined)
      return refused(`${when.zone?.slice(0, 60)} is not a time zone. Write one such as Europe/Berlin.`);
    const now = clock.now();
    const read = planTiming(when, { least_gap_ms: limits.least_gap_ms, now, zone });
    if (!read.ok) return read;
    const { timing, next } = read.value;
    const value: Schedule = { ...unplanned, timing, time_zone: zone, next };
    const { what, text, for: receiver, maker } = value;
    const times = nextInWords(value, now, own).map((time) => `${time} ${own}`);
    const words = whenInWords(value);
    const reader = receiver ?? maker;
    const does = what === "reminder" ? `Remind ${who ?? mentioned(reader.name, reader.id)} of` : "Do";
    const tools = value.tools.map(({ tool }) => tool);
    const unasked =
      tools.length === 0
        ? ""
        : ` It may then use ${tools.join(", ")} without asking again, for what this text names: with anything else it asks.`;
    const question = `${does} “${text}” ${words}? Next: ${times.join(", ")}.${unasked}`;
    const whom = receiver === undefined ? {} : { for: named(receiver.name, receiver.id) };
    const shown = { what, ...whom, text, when: words, next: times, tools };
    return { ok: true, value: { value, question, shown, asks: what === "task" || "cron" in timing } };
  }

  /** Why a person cannot be asked whether they want a reminder; undefined when they can. */
  async #receiverProblem({ id, name, namespace }: Receiver): Promise<string | undefined> {
    const { log, limits } = this.#planning;
    const person = await personNow(this.#planning, { namespace, thread: channelThread }, id);
    if (person.is === "gone") return person.because;
    const waiting = await log.list({ status: "waiting", asks: id, limit: maxAsking });
    const turns = await Promise.all(waiting.map((turn) => log.read(turn.turn_id)));
    const open = turns
      .flatMap((events) => events.reduce(foldTurn, emptyTurnView("")).approvals)
      .filter(({ state, person: only }) => state === "open" && only?.id === id);
    if (open.length < limits.open_turns) return undefined;
    return `${name} has not decided yet about ${open.length} other requests. Ask again when they have.`;
  }
}

/** Maximum waiting turns that are searched for requests to one person. */
const maxAsking = 50;

function textProblem({ length }: string): Outcome<never> | undefined {
  if (length === 0) return refused("The text is empty. Write what to say or do.");
  if (length <= maxPlanText) return undefined;
  return refused(`The text has ${length} characters; the maximum is ${maxPlanText}.`);
}

const eventsOf = { message: "messages", reaction: "reactions", quiet: "other threads", job: "jobs" };

function proposeTrigger(common: Common, condition: TriggerCondition): Outcome<Proposal> {
  const problem = condition.on === "message" ? wordsProblem(condition.words) : undefined;
  if (problem !== undefined) return refused(problem);
  const { on } = condition;
  // Outside chat platforms every message is addressed to the bot; there is nothing else to hear.
  if (!common.on_platform && on !== "webhook" && !(on === "quiet" && condition.here))
    return refused(
      `A trigger on ${eventsOf[on]} is not possible here, because the bot receives only messages to it. Use a schedule, a webhook, or a watch of this thread.`,
    );
  const { text, maker } = common;
  const value = triggerSchema.parse({ ...common, what: "trigger", condition });
  const when = conditionInWords(condition);
  const question = `Do “${text}” ${when}? Each time I may do only what both ${maker.name} and the person who causes it may do.`;
  return { ok: true, value: { value, question, shown: { what: "trigger", text, when }, asks: true } };
}
