import {
  type DueEntry,
  dueKinds,
  type Goal,
  type JobRequest,
  type Schedule,
  type Trigger,
} from "../../core/ports/schedules.ts";
import { createClockwork } from "./clockwork.ts";
import { Goals, runGoal } from "./goals.ts";
import { JobRunner } from "./jobs.ts";
import { Plans } from "./keep-plans.ts";
import { type Entry, PlanBook, readPlan } from "./plan-book.ts";
import type { Planning, PlanSurroundings } from "./planning.ts";
import { runSchedule } from "./run-schedule.ts";
import { runTrigger } from "./run-trigger.ts";
import { ChatWatch, endWatch } from "./watch-chat.ts";
import { type HookRequest, takeHook } from "./webhooks.ts";

/** Plans, stores and runs schedules, triggers, goals and jobs. */
export type ScheduleService = ReturnType<typeof createScheduleService>;

export function createScheduleService(surroundings: PlanSurroundings) {
  const planning: Planning = {
    ...surroundings,
    book: new PlanBook(surroundings.due),
    wake: () => clockwork.wake(),
    isRunning: (id) => jobs.isRunning(id),
  };
  const jobs = new JobRunner(planning);
  const clockwork = createClockwork(surroundings, (entry) => runEntry(planning, entry));
  return Object.assign(new Plans(planning), {
    goals: new Goals(planning),
    jobs,
    startJob: (job: JobRequest) => jobs.start(job),
    watch: new ChatWatch(planning),
    hooks: { take: (request: HookRequest) => takeHook(planning, request) },
    clockwork,
  });
}

async function runEntry(planning: Planning, entry: DueEntry): Promise<void> {
  const { due, logger } = planning;
  const { id, kind } = entry;
  if (kind === dueKinds.watched) return endWatch(planning, entry);
  if (kind === dueKinds.seen) return void (await due.remove(id));
  const plan = readPlan(entry);
  if (plan !== undefined) return runPlan(planning, plan);
  logger.warn({ id, kind }, "A due entry cannot be read and will not run");
  await due.change(id, (stored) => ({ ...stored, due_at: undefined }));
}

/** Runs a plan that is due. */
function runPlan(planning: Planning, entry: Entry): Promise<void> {
  const { what } = entry.value;
  if (what === "goal") return runGoal(planning, entry as Entry<Goal>);
  if (what === "trigger") return runTrigger(planning, entry as Entry<Trigger>);
  return runSchedule(planning, entry as Entry<Schedule>);
}
