import type { ScheduleLimits } from "../../../src/core/ports/schedules.ts";

const minute = 60_000;

/** As they are unless configured. */
export const scheduleLimits: ScheduleLimits = {
  least_gap_ms: 5 * minute,
  per_channel: 20,
  per_person: 10,
  late_ms: 60 * minute,
  open_turns: 3,
  trigger_gap_ms: minute,
  goal_turns: 25,
  job_ms: 30 * minute,
  jobs: 2,
};
