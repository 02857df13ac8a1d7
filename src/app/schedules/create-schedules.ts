import { type DueEntry, dueKinds, type JobRequest, type PlanKinds } from "../../core/ports/schedules.ts";
import { createClockwork } from "./clockwork.ts";
import { DuePlan } from "./due-plan.ts";
import { Goals, runGoal } from "./goals.ts";
import { JobRunner } from "./jobs.ts";
import { Plans } from "./keep-plans.ts";
import { kindOf, PlanBook, readPlan } from "./plan-book.ts";
import type { Planning } from "./planning.ts";
import { runSchedule } from "./run-schedule.ts";
import { runTrigger } from "./run-trigger.ts";
import { ChatWatch, endWatch } from "./watch-chat.ts";
import { type HookRequest, takeHook } from "./webhooks.ts";

/** Plans, stores and runs schedules, triggers, goals and jobs. */
export type ScheduleService = ReturnType<typeof createScheduleService>;

export function createScheduleService(given: Omit<Planning, "book" | "wake" | "isRunning">) {
  const planning: Planning = {
    ...given,
    book: new PlanBook(given.due),
    wake: () => clockwork.wake(),
    isRunning: (id) => jobs.isRunning(id),
  };
  const jobs = new JobRunner(planning);
  const clockwork = createClockwork(given, (entry) => runEntry(planning, entry));
  return Object.assign(new Plans(planning), {
    goals: new Goals(planning),
    jobs,
    startJob: (job: JobRequest) => jobs.start(job),
    watch: new ChatWatch(planning),
    hooks: { take: (request: HookRequest) => takeHook(planning, request) },
    clockwork,
  });
}

/** What a plan does when it is due. */
const runs: { [Kind in keyof PlanKinds]: (due: DuePlan<PlanKinds[Kind]>) => Promise<void> } = {
  schedule: runSchedule,
  trigger: runTrigger,
  goal: runGoal,
};

async function runEntry(planning: Planning, entry: DueEntry): Promise<void> {
  const { due, logger } = planning;
  const { id, kind } = entry;
  if (kind === dueKinds.watched) return endWatch(planning, entry);
  if (kind === dueKinds.seen) return void (await due.remove(id));
  const plan = readPlan(entry);
  if (plan !== undefined) return runs[kindOf(plan.value)](new DuePlan(planning, plan) as DuePlan<never>);
  logger.warn({ id, kind }, "A due entry cannot be read and will not run");
  await due.change(id, (stored) => ({ ...stored, due_at: undefined }));
}
