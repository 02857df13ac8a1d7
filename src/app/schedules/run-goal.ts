import { beginningOf } from "../../base/markdown-text.ts";
import type { Goal } from "../../core/ports/schedule.ts";
import type { Author } from "../../core/values/inbound.ts";
import { changeGoal, type GoalDeps, goalAfter } from "./goals.ts";
import { jobsOf } from "./jobs.ts";
import type { Entry } from "./planning.ts";
import { begin, type RunDeps } from "./run-plan.ts";

export interface GoalRunDeps extends GoalDeps, Pick<RunDeps, "book" | "submit" | "logger" | "isPaused"> {
  /** Why nothing more may be spent in a channel for a person; undefined below the limits. */
  overBudget(namespace: string, person: Author): Promise<string | undefined>;
  /** Stops a turn. @param by a person's id */
  stop(turnId: string, by: string): Promise<unknown>;
}

/** Looks at a goal: once its turn has ended, starts the next one, or ends the goal. Every step can be repeated after a crash. */
export async function runGoal(deps: GoalRunDeps, entry: Entry<Goal>): Promise<void> {
  const { id, value: goal } = entry;
  if (goal.state !== "going") return void (await deps.due.remove(id));
  const last = goal.turn_id === undefined ? undefined : await deps.log.get(goal.turn_id);
  if (last !== undefined && last.status !== "finished") return lookAgain(deps, id);
  // A turn that no longer exists was deleted with its thread.
  if (last === undefined && goal.turn_id !== undefined) return endGoal(deps, id, goal, "stopped");
  const after = last === undefined ? goal : goalAfter(goal, last);
  if (after.state === "blocked" || after.state === "used_up")
    return tellEnd(deps, entry, after.state, whyEnded[after.state]);
  if (after.state !== "going") return endGoal(deps, id, goal, after.state);
  return beginNext(deps, entry, after.met);
}

const whyEnded = { blocked: "the same obstacle came up twice in a row.", used_up: "all its turns are used." };

/** Starts the next turn of a goal, unless its maker may not go on. @param met what the turn before met */
async function beginNext(deps: GoalRunDeps, entry: Entry<Goal>, met: string | undefined): Promise<void> {
  const { id, namespace, value: goal } = entry;
  const maker = await deps.people.maker(namespace, goal);
  if (maker.is === "away" || (await deps.isPaused(namespace))) return lookAgain(deps, id);
  const jobs = await jobsOf(deps.book, namespace);
  // The end of a job has a turn of its own.
  if (jobs.some(({ value }) => value.thread === goal.thread)) return lookAgain(deps, id);
  if (maker.is === "gone") return tellEnd(deps, entry, "blocked", maker.because);
  const spent = await deps.overBudget(namespace, maker.author);
  if (spent !== undefined) return tellEnd(deps, entry, "used_up", `${spent}.`);
  const turns = goal.turns + 1;
  const turnId = await begin(deps, entry, {
    author: maker.author,
    place: { namespace, thread: goal.thread },
    key: `goal:${id}:${goal.key}:${turns}`,
    reads: true,
    cause: { because: `turn ${turns} of ${goal.max_turns}` },
  });
  if (turnId === undefined) return lookAgain(deps, id);
  const going = await changeGoal(deps, id, (now) =>
    now.key === goal.key ? { ...now, turns, turn_id: turnId, met } : undefined,
  );
  // Somebody ended the goal while its turn began.
  if (going === undefined) await deps.stop(turnId, goal.maker.id);
}

async function lookAgain(deps: GoalRunDeps, id: string): Promise<void> {
  await changeGoal(deps, id, (goal) => goal);
}

async function endGoal(deps: GoalRunDeps, id: string, { key }: Goal, state: Goal["state"]): Promise<void> {
  await changeGoal(deps, id, (goal) => (goal.key === key ? { ...goal, state } : undefined));
}

/** Ends a goal and says so in its thread: once, even after a crash. */
async function tellEnd(
  deps: GoalRunDeps,
  entry: Entry<Goal>,
  state: Goal["state"],
  because: string,
): Promise<void> {
  const { id, namespace, value: goal } = entry;
  const aim = beginningOf(goal.text, 200);
  const turns = `${goal.turns} of ${goal.max_turns} ${goal.max_turns === 1 ? "turn" : "turns"}`;
  const begun = await begin(deps, entry, {
    author: goal.maker,
    place: { namespace, thread: goal.thread },
    key: `goal:${id}:${goal.key}:ended`,
    cause: {
      because,
      says: `I stopped working on the goal “${aim}” after ${turns}: ${because} Nothing shows yet that it is reached. \`/agent goal set …\` sets it again.`,
    },
  });
  if (begun === undefined) return lookAgain(deps, id);
  await endGoal(deps, id, goal, state);
  deps.logger.info({ goal: id, namespace, state }, "A goal has ended");
}
