import { backoff } from "../../base/backoff.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import type { Goal, Plan } from "../../core/ports/schedules.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import type { Author, Cause } from "../../core/values/inbound.ts";
import type { Submission } from "../turns/submit.ts";
import { makerNow, type PersonNow } from "./maker-now.ts";
import { type Entry, kindOf } from "./plan-book.ts";
import type { Planning } from "./planning.ts";

/** Delays before a retry after a temporary obstacle, ms. */
const retryDelays = { minMs: 60_000, maxMs: 30 * 60_000 };

/** How long a goal is shown after it ended, ms. */
const keptMs = 7 * 86_400_000;

/** Changes a plan, unless it is a goal that is over, or was set anew in the meantime. Returns the changed plan. */
export async function changeGoing<Value extends Plan>(
  { book }: Planning,
  { id, value: known }: Entry<Value>,
  change: (value: Value) => { value?: Value; due_at: number | undefined },
): Promise<Value | undefined> {
  let isGoing = false;
  const changed = await book.change<Value>(id, ({ value }) => {
    const isSame = "key" in known && "key" in value && known.key === value.key;
    isGoing = value.what !== "goal" || (value.state === "going" && isSame);
    return isGoing ? change(value) : undefined;
  });
  return isGoing ? changed?.value : undefined;
}

/** Ends a goal: it is shown for some days. */
export function endGoal(
  planning: Planning,
  entry: Entry<Goal>,
  state: Goal["state"],
): Promise<Goal | undefined> {
  return changeGoing(planning, entry, (goal) => endedGoal(goal, state, planning.clock.now()));
}

function endedGoal(goal: Goal, state: Goal["state"], now: number) {
  return { value: { ...goal, state }, due_at: now + keptMs };
}

/** Retries a plan after a temporary obstacle, with growing delays. The time it runs for stays the same. */
export async function tryLater(planning: Planning, entry: Entry): Promise<void> {
  await changeGoing(planning, entry, (value) => {
    const failures = value.failures + 1;
    return { value: { ...value, failures }, due_at: planning.clock.now() + backoff(failures, retryDelays) };
  });
}

/** Time after which a plan is looked at again although nothing happened, ms. */
export const holdMs = 60_000;

/** Looks at a plan again after a while. Work that came due in the meantime is late. */
export async function hold(planning: Planning, entry: Entry): Promise<void> {
  await changeGoing(planning, entry, () => ({ due_at: planning.clock.now() + holdMs }));
}

/**
 * The maker of a plan that is due, if it may begin a turn in the channel now. Otherwise undefined: then it is looked at again, or has
 * stopped.
 */
export async function makerOf(
  planning: Planning,
  entry: Entry,
  channel = entry.namespace,
): Promise<Author | undefined> {
  const { paused } = await settingsOf(planning.store, channel);
  if (paused === undefined)
    return personOr(planning, entry, await makerNow(planning, entry.namespace, entry.value));
  await hold(planning, entry);
  return undefined;
}

/** A person without whom a plan cannot go on. Undefined if they are not there: then it is looked at again, or has stopped. */
export async function personOr(
  planning: Planning,
  entry: Entry,
  person: PersonNow,
): Promise<Author | undefined> {
  if (person.is === "there") return person.author;
  if (person.is === "away") await tryLater(planning, entry);
  else await stopAndTell(planning, entry, person.because);
  return undefined;
}

/**
 * Stops a plan that can no longer run, and announces it where it was made: once, even after a crash. A goal ends, all others are paused.
 * @param state of a goal
 */
export async function stopAndTell(
  planning: Planning,
  entry: Entry,
  because: string,
  state: Goal["state"] = "blocked",
): Promise<void> {
  const at = planning.clock.now();
  if (
    !(await announce(planning, entry, `stopped:${roundOf(entry.value)}`, because, stopWords(entry, because)))
  )
    return tryLater(planning, entry);
  await changeGoing(planning, entry, (value) =>
    value.what === "goal"
      ? endedGoal(value, state, at)
      : { value: { ...value, paused: { because, at }, failures: 0 }, due_at: undefined },
  );
  planning.logger.info({ plan: entry.id, namespace: entry.namespace }, `A plan has stopped: ${because}`);
}

function stopWords({ id, value }: Entry, because: string): string {
  const text = beginningOf(value.text, 200);
  if (value.what !== "goal")
    return `I paused “${text}”: ${because} \`/agent schedule resume ${id}\` resumes it, \`/agent schedule remove ${id}\` deletes it.`;
  const turns = `${value.turns} of ${value.max_turns} ${value.max_turns === 1 ? "turn" : "turns"}`;
  return `I stopped working on the goal “${text}” after ${turns}: ${because} Nothing shows yet that it is reached. \`/agent goal set …\` sets it again.`;
}

/** What tells the stops of a plan from each other: a schedule or trigger may stop again after it was resumed. */
function roundOf(plan: Plan): string | number | undefined {
  if (plan.what === "goal") return plan.key;
  return plan.what === "trigger" ? plan.starts : plan.next;
}

/** Says something about a plan where it was made: once for each occasion, even after a crash. Whether it is stored. */
export async function announce(
  planning: Planning,
  entry: Entry,
  occasion: string,
  because: string,
  says: string,
): Promise<boolean> {
  const { id, namespace, value } = entry;
  const { maker: author, thread } = value;
  const key = `${kindOf(value)}:${id}:${occasion}`;
  const begun = await begin(planning, entry, { author, namespace, thread, key, cause: { because, says } });
  return begun !== undefined;
}

interface Beginning extends Pick<Submission, "author" | "namespace" | "thread"> {
  key: string;
  cause: Omit<Cause, "kind" | "id">;
  /** Whether the thread is read first. */
  reads?: boolean;
}

/** Begins a turn of a plan, once for each key. Returns its id; undefined when it could not be submitted. */
export async function begin(
  { submit, clock, logger }: Planning,
  { id, value }: Entry,
  { reads = false, ...turn }: Beginning,
): Promise<string | undefined> {
  const cause = { kind: kindOf(value), id, ...turn.cause };
  const origin = { said_at: clock.now(), files: [], in_thread: reads };
  const shown = value.on_platform ? { origin } : {};
  const submitted = await submit({ ...turn, ...shown, text: value.text, cause });
  if (submitted.ok) return submitted.value.turn_id;
  // The same key with another text: it ran before the plan was changed.
  if (submitted.code === "key_taken") return "";
  const reason = submitted.message;
  logger.warn({ plan: id, reason }, "A turn of a plan could not be submitted; it is tried again later");
  return undefined;
}
