import { createHash } from "node:crypto";
import { trimEndOf } from "../../base/line-for-people.ts";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import {
  dueKinds,
  type Goal,
  type GoalView,
  goalSchema,
  type ScheduleLimits,
} from "../../core/ports/schedule.ts";
import type { DueEntries, DueEntry, Planner } from "../../core/ports/schedules.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { toJson } from "../../core/values/json.ts";
import type { Place } from "../../core/values/place.ts";
import type { PeopleNow } from "./maker-now.ts";
import { idOf } from "./plan-book.ts";
import type { Entry, Goals } from "./planning.ts";

export interface GoalDeps {
  due: DueEntries;
  people: PeopleNow;
  platforms: ChatPlatforms;
  limits: ScheduleLimits;
  log: Pick<TurnReading, "get">;
  now(): number;
  wake(): void;
}

/** How long a goal is shown after it ended, ms. */
const keptMs = 7 * 86_400_000;

/** Maximum turns of a goal for which its maker named no number. */
const usualTurns = 10;

export function createGoals(deps: GoalDeps): Goals {
  const { due, now, wake } = deps;
  return {
    async set(planner, aim, max_turns, key) {
      const { place } = planner;
      const problem = await goalProblem(deps, planner, max_turns);
      if (problem !== undefined) return problem;
      const value = await newGoal(deps, planner, aim, max_turns, key);
      if (!value.ok) return value;
      const entry = { id: goalId(place), namespace: place.namespace, kind: dueKinds.goal, due_at: now() };
      const set = await replaceEnded(deps, { ...entry, value: toJson(value.value) }, key);
      wake();
      return set;
    },
    async of(place) {
      const entry = await due.get(goalId(place));
      const goal = entry && readGoal(entry)?.value;
      return goal && { view: viewOf(goal), maker: goal.maker };
    },
    async end({ namespace, thread }, fits) {
      const ended: GoalView[] = [];
      for (const { id, value } of await goalsOf(due, namespace)) {
        if (value.state !== "going" || !fits(value.maker)) continue;
        if (thread !== undefined && value.thread !== thread) continue;
        const goal = await changeGoal(deps, id, (known) => ({ ...known, state: "stopped" }));
        if (goal !== undefined) ended.push(viewOf(goal));
      }
      return ended;
    },
    async turned(id) {
      await due.change(id, (entry) =>
        readGoal(entry)?.value.state === "going" ? { ...entry, due_at: now() } : undefined,
      );
      wake();
    },
  };
}

/** The goal in an entry; undefined when it cannot be read. */
export function readGoal(entry: DueEntry): Entry<Goal> | undefined {
  const parsed = entry.kind === dueKinds.goal ? goalSchema.safeParse(entry.value) : undefined;
  return parsed?.success ? { ...entry, value: parsed.data } : undefined;
}

/**
 * Changes a goal that is going; a goal that has ended stays as it is. When it is looked at again: once its turn has ended, at the latest
 * after a while, or when it is no longer shown. Returns the changed goal.
 */
export async function changeGoal(
  { due, now }: Pick<GoalDeps, "due" | "now">,
  id: string,
  change: (goal: Goal) => Goal | undefined,
): Promise<Goal | undefined> {
  let changed: Goal | undefined;
  await due.change(id, (entry) => {
    const goal = readGoal(entry)?.value;
    changed = goal?.state === "going" ? change(goal) : undefined;
    if (changed === undefined) return undefined;
    const due_at = now() + (changed.state === "going" ? lookAgainMs : keptMs);
    return { ...entry, due_at, value: toJson(changed) };
  });
  return changed;
}

/** Time after which a goal is looked at although nothing was heard of its turn, ms: the bot may have died between the two. */
const lookAgainMs = 60_000;

function goalId({ namespace, thread }: Place): string {
  return idOf(`goal ${namespace} ${thread}`);
}

async function goalsOf(due: DueEntries, namespace: string): Promise<Entry<Goal>[]> {
  const entries = await due.list({ namespace, kind: dueKinds.goal });
  return entries.flatMap((entry) => readGoal(entry) ?? []);
}

function viewOf({ text, state, turns, max_turns, maker, turn_id }: Goal): GoalView {
  const view = { aim: text, state, turns, max_turns, by: maker.name };
  return turn_id === undefined ? view : { ...view, turn_id };
}

async function goalProblem(
  { due, limits }: GoalDeps,
  { author, place }: Planner,
  max_turns: number | undefined,
): Promise<Outcome<never> | undefined> {
  const refused = (message: string, status: 400 | 403 | 409 = 400) =>
    ({ ok: false, status, message }) as const;
  if (limits.goal_turns === 0)
    return refused("Goals are off. An operator of the bot can allow them: `schedules.goal_turns`.", 403);
  if (author.trust === "guest") return refused("Guests cannot have schedules, triggers or goals.", 403);
  if (max_turns !== undefined && (max_turns < 1 || max_turns > limits.goal_turns))
    return refused(`A goal has 1 to ${limits.goal_turns} turns (\`schedules.goal_turns\`).`);
  const going = (await goalsOf(due, place.namespace)).filter(({ value }) => value.state === "going");
  const own = going.filter(({ value }) => value.maker.id === author.id && value.thread !== place.thread);
  if (own.length >= limits.per_person)
    return refused(
      `You have ${own.length} goals here; the maximum is ${limits.per_person}. Stop one first.`,
      409,
    );
  return undefined;
}

async function newGoal(
  { people, platforms, limits, now }: GoalDeps,
  { author, place }: Planner,
  aim: string,
  max_turns: number | undefined,
  key: string,
): Promise<Outcome<Goal>> {
  const on_platform = platforms.of(place.namespace) !== undefined;
  const plan = { maker: author, on_platform, thread: place.thread };
  const maker = await people.maker(place.namespace, plan);
  if (maker.is === "gone") return { ok: false, status: 403, message: maker.because };
  const value = goalSchema.parse({
    ...plan,
    what: "goal",
    text: aim,
    made_at: now(),
    key,
    state: "going",
    max_turns: max_turns ?? Math.min(usualTurns, limits.goal_turns),
  });
  return { ok: true, value };
}

/** Stores a goal where none is going. A repeated request finds the goal it has set. */
async function replaceEnded({ due }: GoalDeps, entry: DueEntry, key: string): Promise<Outcome<GoalView>> {
  // Of two at once, the second finds what the first has added.
  if ((await due.get(entry.id)) === undefined)
    await due.add(entry).catch(async (error: unknown) => {
      if ((await due.get(entry.id)) === undefined) throw error;
    });
  const stored = await due.change(entry.id, (known) => {
    const goal = readGoal(known)?.value;
    return goal?.state === "going" || goal?.key === key ? undefined : entry;
  });
  const goal = stored && readGoal(stored)?.value;
  if (goal?.key === key) return { ok: true, value: viewOf(goal) };
  const message = `This thread already has a goal: “${goal?.text ?? ""}”. \`/agent goal stop\` ends it.`;
  return { ok: false, status: 409, message };
}

/** How a turn ended for its goal; undefined for an answer without the line that says so. */
export function readGoalEnd(
  answer: string,
): { is: "reached" | "blocked" | "continues"; text: string } | undefined {
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
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return createHash("sha256").update(words.join(" ")).digest("hex").slice(0, 32);
}

/** The events of a turn. Once the end of one that works on a goal is stored, the goal is looked at. */
export function tellGoal(
  { schedules, ports }: { schedules: { goals: Goals }; ports: Pick<TurnPorts, "report"> },
  { inbound: { cause } }: Pick<ClaimedTurn, "inbound">,
  events: AsyncGenerator<TurnEventBody, void>,
): AsyncGenerator<TurnEventBody, void> {
  return cause?.kind === "goal" ? lookAfter(cause.id) : events;

  async function* lookAfter(goal: string) {
    yield* events;
    // It is looked at again later anyway.
    await schedules.goals.turned(goal).catch((error: unknown) => ports.report(error, "a goal"));
  }
}
