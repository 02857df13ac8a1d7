import { createHash } from "node:crypto";
import { trimEndOf } from "../../base/line-for-people.ts";
import type { ClaimedTurn, TurnRecord } from "../../core/log/turn-log.ts";
import type { Goal, GoalView, Planner } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { TurnObserver } from "../turns/turn-writer.ts";
import { DuePlan, holdMs } from "./due-plan.ts";
import { jobsOf } from "./jobs.ts";
import { makerNow } from "./maker-now.ts";
import { type Entry, idOf } from "./plan-book.ts";
import { madeBy, type Planning, refused } from "./planning.ts";

/** Maximum turns of a goal for which its maker named no number. */
const usualTurns = 10;

/** Goals of threads: set, shown and ended by people. */
export class Goals {
  readonly #planning: Planning;

  constructor(planning: Planning) {
    this.#planning = planning;
  }

  /**
   * Sets the goal of a thread; its first turn starts at once. `key` identifies the request, so that a repeated one sets it once. Fails if a
   * goal of the thread is still going.
   */
  async set(
    planner: Planner,
    aim: string,
    max_turns: number | undefined,
    key: string,
  ): Promise<Outcome<GoalView>> {
    const { limits, wake } = this.#planning;
    const { place } = planner;
    const problem = await this.#problem(planner, max_turns);
    if (problem !== undefined) return problem;
    const most = max_turns ?? Math.min(usualTurns, limits.goal_turns);
    const made = { ...madeBy(this.#planning, planner), text: aim, key };
    const value: Goal = { ...made, what: "goal", state: "going", max_turns: most, turns: 0 };
    const maker = await makerNow(this.#planning, place.namespace, value);
    if (maker.is === "gone") return refused(maker.because, 403);
    const set = await this.#replaceEnded(place, value);
    wake();
    return set;
  }

  /** Why this person cannot set a goal with this many turns; undefined when they can. */
  async #problem({ author, place }: Planner, turns: number | undefined): Promise<Outcome<never> | undefined> {
    const { book, limits } = this.#planning;
    if (limits.goal_turns === 0)
      return refused("Goals are off. An operator of the bot can allow them: `schedules.goal_turns`.", 403);
    if (author.trust === "guest") return refused("Guests cannot have schedules, triggers or goals.", 403);
    if (turns !== undefined && (turns < 1 || turns > limits.goal_turns))
      return refused(`A goal has 1 to ${limits.goal_turns} turns (\`schedules.goal_turns\`).`);
    const elsewhere = (await book.of("goal", place.namespace)).filter(
      ({ value }) => isGoing(value) && value.maker.id === author.id && value.thread !== place.thread,
    ).length;
    if (elsewhere < limits.per_person) return undefined;
    const message = `You have ${elsewhere} goals here; the maximum is ${limits.per_person}. Stop one first.`;
    return refused(message, 409);
  }

  /** Stores a goal where none is going. A repeated request finds the goal it has set. */
  async #replaceEnded(place: Place, value: Goal): Promise<Outcome<GoalView>> {
    const { book, clock } = this.#planning;
    const id = goalId(place);
    const due_at = clock.now();
    // Of two at once, the second finds what the first has added.
    const failed = await book.add({ id, namespace: place.namespace, due_at, value }).then(
      () => undefined,
      (error: unknown) => error,
    );
    const stored = await book.change(id, ({ value: known }) =>
      isGoing(known) || (known.what === "goal" && known.key === value.key) ? undefined : { value, due_at },
    );
    if (stored === undefined) throw failed;
    const goal = stored.value;
    if (goal.what === "goal" && goal.key === value.key) return { ok: true, value: viewOf(goal) };
    return refused(`This thread already has a goal: “${goal.text}”. \`/agent goal stop\` ends it.`, 409);
  }

  /** The latest goal of a thread: the one that is going, or one that ended in the last days. */
  async of(place: Place): Promise<{ view: GoalView; maker: Author } | undefined> {
    const goal = (await this.#planning.book.get(goalId(place)))?.value;
    return goal?.what === "goal" ? { view: viewOf(goal), maker: goal.maker } : undefined;
  }

  /** Ends goals that are going, of a channel or one of its threads, if the person who set them fits. Their turns go on. Returns them. */
  async end(
    { namespace, thread }: { namespace: string; thread?: string },
    fits: (maker: Author) => boolean,
  ): Promise<GoalView[]> {
    const ended: GoalView[] = [];
    for (const entry of await this.#planning.book.of("goal", namespace)) {
      if (!fits(entry.value.maker) || (thread ?? entry.value.thread) !== entry.value.thread) continue;
      const goal = await new DuePlan(this.#planning, entry).end("stopped");
      if (goal !== undefined) ended.push(viewOf(goal));
    }
    return ended;
  }

  /** Once the end of a turn that works on a goal is stored, the goal is looked at. */
  follow({ inbound: { cause } }: Pick<ClaimedTurn, "inbound">): TurnObserver {
    if (cause?.kind !== "goal") return {};
    return {
      after: ({ type }) => (type === "turn_finished" ? this.#look(cause.id) : undefined),
    };
  }

  async #look(id: string): Promise<void> {
    const { book, clock, wake, report } = this.#planning;
    try {
      await book.change(id, ({ value }) => (isGoing(value) ? { due_at: clock.now() } : undefined));
      wake();
    } catch (error) {
      // It is looked at again later anyway.
      report(error, "a goal");
    }
  }
}

function isGoing(plan: Entry["value"] | undefined): boolean {
  return plan?.what === "goal" && plan.state === "going";
}

function goalId({ namespace, thread }: Place): string {
  return idOf(`goal ${namespace} ${thread}`);
}

function viewOf({ text, state, turns, max_turns, maker, turn_id }: Goal): GoalView {
  return { aim: text, state, turns, max_turns, by: maker.name, turn_id };
}

/** Looks at a goal: once its turn has ended, starts the next one, or ends the goal. */
export async function runGoal(due: DuePlan<Goal>): Promise<void> {
  const { planning, id, value: goal } = due;
  if (goal.state !== "going") return void (await planning.book.remove(id));
  const last = goal.turn_id === undefined ? undefined : await planning.log.get(goal.turn_id);
  if (last !== undefined && last.status !== "finished") return due.hold();
  // A turn that no longer exists was deleted with its thread.
  const isDeleted = last === undefined && goal.turn_id !== undefined;
  const after = last === undefined ? goal : goalAfter(goal, last);
  const state = isDeleted ? "stopped" : after.state;
  if (state === "going") return beginNext(due, after.met);
  if (state === "blocked" || state === "used_up") return due.stop(whyEnded[state], state);
  await due.end(state);
}

const whyEnded = { blocked: "the same obstacle came up twice in a row.", used_up: "all its turns are used." };

/** Starts the next turn of a goal, unless its maker may not continue. @param met what the turn before met */
async function beginNext(due: DuePlan<Goal>, met: string | undefined): Promise<void> {
  const { planning, id, namespace, value: goal } = due;
  const jobs = await jobsOf(planning.book, namespace);
  // The end of a job has a turn of its own.
  if (jobs.some(({ value }) => value.thread === goal.thread)) return due.hold();
  const maker = await due.maker();
  if (maker === undefined) return;
  const spent = await planning.overBudget(namespace, maker);
  if (spent !== undefined) return due.stop(`${spent}.`, "used_up");
  const turns = goal.turns + 1;
  const turnId = await due.begin({
    author: maker,
    namespace,
    thread: goal.thread,
    key: `goal:${id}:${goal.key}:${turns}`,
    reads: true,
    cause: { because: `turn ${turns} of ${goal.max_turns}` },
  });
  if (turnId === undefined) return due.tryLater();
  const due_at = planning.clock.now() + holdMs;
  const begun = { turns, turn_id: turnId, met, failures: 0 };
  const going = await due.change((now) => ({ value: { ...now, ...begun }, due_at }));
  // Somebody ended the goal while its turn began.
  if (going === undefined) await planning.stop(turnId, goal.maker.id);
}

/** How a turn ended for its goal; undefined for an answer without the line that says so. */
export function readGoalEnd(answer: string) {
  const line = answer.trimEnd().split("\n").at(-1)?.slice(0, 4_000) ?? "";
  const [, is = "", rest = ""] = /^[\s*_>`-]*goal (reached|blocked|continues)[*_]*:(.*)$/i.exec(line) ?? [];
  const text = trimEndOf(rest.replace(/^[\s*_]+/, ""), "*_");
  if (text === "") return undefined;
  return { is: is.toLowerCase() as "reached" | "blocked" | "continues", text };
}

/** The goal after its latest turn has ended; `going` if another turn follows. */
export function goalAfter(goal: Goal, { outcome, answer = "" }: TurnRecord): Goal {
  if (outcome === "stopped") return { ...goal, state: "stopped" };
  const end = readGoalEnd(answer);
  if (outcome === "completed" && end?.is === "reached") return { ...goal, state: "reached" };
  // An answer that says nothing of the goal is no step if it only repeats the one before.
  const met = end?.is === "continues" ? undefined : fingerprint(end?.text ?? answer);
  const next = { ...goal, met };
  if (met !== undefined && met === goal.met) return { ...next, state: "blocked" };
  return goal.turns >= goal.max_turns ? { ...next, state: "used_up" } : next;
}

/** The same for texts that differ in case, punctuation and white space. The text itself is not kept: it may be for one person alone. */
function fingerprint(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return createHash("sha256").update(words).digest("hex").slice(0, 32);
}
