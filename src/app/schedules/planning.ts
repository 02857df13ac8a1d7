import type { GoalView, Schedule, Trigger } from "../../core/ports/schedule.ts";
import type { DueEntry, Planner, Schedules } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";

/** A stored schedule or trigger. `due_at` is when it is next looked at. */
export interface Entry<Value> extends Omit<DueEntry, "value"> {
  value: Value;
}

/** Adds, shows and changes plans. */
export interface PlanKeeping extends Omit<Schedules, "plan" | "replan"> {
  /** Whether a person may change a plan of a channel. A failure says who may. */
  mayChange(planner: Planner, id: string): Promise<Outcome<Entry<Schedule | Trigger>>>;
  /**
   * Sets a new secret for a webhook: `given`, or a generated one. On a chat platform a generated secret is whispered to the person who
   * asked (`told`); programs read `secret`.
   */
  newSecret(
    planner: Planner,
    id: string,
    given?: string,
  ): Promise<Outcome<{ secret: string; told: boolean }>>;
}

/** Schedules and triggers, for people, programs and tools. */
export type Planning = Schedules & PlanKeeping;

/** Goals of threads: set, shown and ended by people. `run-goal.ts` starts their turns. */
export interface Goals {
  /**
   * Sets the goal of a thread; its first turn starts at once. `key` identifies the request, so that a repeated one sets it once. Fails if a
   * goal of the thread is still going.
   */
  set(planner: Planner, aim: string, max_turns: number | undefined, key: string): Promise<Outcome<GoalView>>;
  /** The latest goal of a thread: the one that is going, or one that ended in the last days. */
  of(place: Place): Promise<{ view: GoalView; maker: Author } | undefined>;
  /** Ends goals that are going, of a channel or one of its threads, if the person who set them fits. Their turns go on. Returns them. */
  end(where: { namespace: string; thread?: string }, fits: (maker: Author) => boolean): Promise<GoalView[]>;
  /** A turn of the goal with this id has ended: looks at once what follows. */
  turned(id: string): Promise<void>;
}
