import { backoff } from "../../base/backoff.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import type { Goal, Plan } from "../../core/ports/schedules.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import type { Author, Cause } from "../../core/values/inbound.ts";
import type { Submission } from "../turns/submit.ts";
import { makerNow, type PersonNow } from "./maker-now.ts";
import { type Changed, type Entry, kindOf } from "./plan-book.ts";
import type { Planning } from "./planning.ts";

/** Delays before a retry after a temporary obstacle, ms. */
const retryDelays = { minMs: 60_000, maxMs: 30 * 60_000 };

/** Time after which a plan is looked at again although nothing happened, ms. */
export const holdMs = 60_000;

/** How long a goal is shown after it ended, ms. */
const keptMs = 7 * 86_400_000;

interface Beginning extends Pick<Submission, "author" | "namespace" | "thread"> {
  key: string;
  cause: Omit<Cause, "kind" | "id">;
  /** Whether the thread is read first. */
  reads?: boolean;
}

/** A plan that came due: it begins a turn, is looked at again later, or stops. Every step can be repeated after a crash. */
export class DuePlan<Value extends Plan = Plan> {
  readonly planning: Planning;
  readonly id: string;
  readonly namespace: string;
  /** The plan as it was when it came due. */
  readonly value: Value;

  constructor(planning: Planning, { id, namespace, value }: Entry<Value>) {
    this.planning = planning;
    this.id = id;
    this.namespace = namespace;
    this.value = value;
  }

  /** Changes the stored plan, unless it is a goal that is over, or was set anew in the meantime. Returns the changed plan. */
  async change(change: (value: Value) => Changed<Value>): Promise<Value | undefined> {
    const known = this.value;
    let isGoing = false;
    const changed = await this.planning.book.change<Value>(this.id, ({ value }) => {
      const isSame = "key" in known && "key" in value && known.key === value.key;
      isGoing = value.what !== "goal" || (value.state === "going" && isSame);
      return isGoing ? change(value) : undefined;
    });
    return isGoing ? changed?.value : undefined;
  }

  /** Retries after a temporary obstacle, with growing delays. The time the plan runs for stays the same. */
  async tryLater(this: DuePlan): Promise<void> {
    const now = this.planning.clock.now();
    await this.change((value) => {
      const failures = value.failures + 1;
      return { value: { ...value, failures }, due_at: now + backoff(failures, retryDelays) };
    });
  }

  /** Looks at the plan again after a while. Work that came due in the meantime is late. */
  async hold(): Promise<void> {
    await this.change(() => ({ due_at: this.planning.clock.now() + holdMs }));
  }

  /**
   * The maker, if the plan may begin a turn in the channel now. Otherwise undefined: then it is looked at again, or has stopped.
   */
  async maker(channel = this.namespace): Promise<Author | undefined> {
    const { paused } = await settingsOf(this.planning.store, channel);
    if (paused === undefined) return this.personOr(await makerNow(this.planning, this.namespace, this.value));
    await this.hold();
    return undefined;
  }

  /** A person without whom the plan cannot continue. Undefined if they are not there: then it is looked at again, or has stopped. */
  async personOr(this: DuePlan, person: PersonNow): Promise<Author | undefined> {
    if (person.is === "there") return person.author;
    if (person.is === "away") await this.tryLater();
    else await this.stop(person.because);
    return undefined;
  }

  /** Ends a goal: it is shown for some days. */
  end(this: DuePlan<Goal>, state: Goal["state"]): Promise<Goal | undefined> {
    return this.change((goal) => endedGoal(goal, state, this.planning.clock.now()));
  }

  /**
   * Stops a plan that can no longer run, and announces it where it was made: once, even after a crash. A goal ends, all others are paused.
   * @param state of a goal
   */
  async stop(this: DuePlan, because: string, state: Goal["state"] = "blocked"): Promise<void> {
    const { clock, logger } = this.planning;
    const { id, namespace } = this;
    const at = clock.now();
    if (!(await this.announce(`stopped:${roundOf(this.value)}`, because, stopWords(this, because))))
      return this.tryLater();
    await this.change((value) =>
      value.what === "goal"
        ? endedGoal(value, state, at)
        : { value: { ...value, paused: { because, at }, failures: 0 }, due_at: undefined },
    );
    logger.info({ plan: id, namespace }, `A plan has stopped: ${because}`);
  }

  /** Says something about the plan where it was made: once for each occasion, even after a crash. Returns whether it is stored. */
  async announce(occasion: string, because: string, says: string): Promise<boolean> {
    const { id, namespace, value } = this;
    const { maker: author, thread } = value;
    const key = `${kindOf(value)}:${id}:${occasion}`;
    return (await this.begin({ author, namespace, thread, key, cause: { because, says } })) !== undefined;
  }

  /** Begins a turn, once for each key. Returns its id; undefined when it could not be submitted. */
  async begin({ reads = false, ...turn }: Beginning): Promise<string | undefined> {
    const { submit, clock, logger } = this.planning;
    const { id, value } = this;
    const cause = { kind: kindOf(value), id, ...turn.cause };
    const origin = value.on_platform ? { said_at: clock.now(), files: [], in_thread: reads } : undefined;
    const submitted = await submit({ ...turn, origin, text: value.text, cause });
    if (submitted.ok) return submitted.value.turn_id;
    // The same key with another text: it ran before the plan was changed.
    if (submitted.code === "key_taken") return "";
    const reason = submitted.message;
    logger.warn({ plan: id, reason }, "A turn of a plan could not be submitted; it is tried again later");
    return undefined;
  }
}

function endedGoal(goal: Goal, state: Goal["state"], now: number) {
  return { value: { ...goal, state }, due_at: now + keptMs };
}

function stopWords({ id, value }: DuePlan, because: string): string {
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
