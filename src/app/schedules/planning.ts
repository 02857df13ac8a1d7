import type { Schedule, Trigger } from "../../core/ports/schedule.ts";
import type { DueEntry, Planner, Schedules } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";

/** A stored schedule or trigger. `due_at` is when it is next looked at. */
export interface Entry<Value> extends Omit<DueEntry, "value"> {
  value: Value;
}

/** Adds, shows and changes plans. */
export interface PlanKeeping extends Omit<Schedules, "plan" | "timeOf" | "read"> {
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
