import type { Schedule, Trigger } from "../../core/ports/schedule.ts";
import type { DueEntry, Planner, Schedules } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";

/** A stored schedule or trigger. `due_at` is when it is looked at next. */
export interface Entry<Value> extends Omit<DueEntry, "value"> {
  value: Value;
}

/** Plans as people add, see and change them. */
export interface PlanKeeping extends Omit<Schedules, "plan" | "timeOf" | "read"> {
  /** Whether a person may change a plan of a channel; not ok: who may. */
  mayChange(planner: Planner, id: string): Promise<Outcome<Entry<Schedule | Trigger>>>;
  /**
   * A new secret for a webhook: one that its sender made, where `given`. On a chat platform it is whispered to who asked for it; `secret`
   * is for programs.
   */
  newSecret(
    planner: Planner,
    id: string,
    given?: string,
  ): Promise<Outcome<{ secret: string; told: boolean }>>;
}

/** What people, programs and tools ask of what comes back by itself. */
export type Planning = Schedules & PlanKeeping;
