import type { TurnReading } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { dueKinds, type Schedule, type Trigger } from "../../core/ports/schedule.ts";
import type { DueEntry, Planner } from "../../core/ports/schedules.ts";
import type { Clock, KeyValue, Leases, Log } from "../../core/ports/storage.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import { zoneOf } from "../../core/values/said-line.ts";
import type { ScheduleSetup } from "../app-deps.ts";
import type { Submit } from "../turns/submit.ts";
import { type Clockwork, createClockwork } from "./clockwork.ts";
import { createGoals, readGoal } from "./goals.ts";
import { createHeldEvents } from "./held-events.ts";
import { createJobs, type JobDeps, type JobService } from "./jobs.ts";
import { createPlanKeeping } from "./keep-plans.ts";
import { createPeopleNow, type PeopleDeps } from "./maker-now.ts";
import { createNeededTools, type NeededToolsDeps } from "./needed-tools.ts";
import { createPlanBook, readPlan } from "./plan-book.ts";
import { createPlanning, createReplanning } from "./plan-wish.ts";
import type { Entry, Goals, Planning } from "./planning.ts";
import { type GoalRunDeps, runGoal } from "./run-goal.ts";
import { runSchedule } from "./run-schedule.ts";
import { runTrigger } from "./run-trigger.ts";
import { type ChatWatch, createChatWatch } from "./watch-chat.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

export interface ScheduleServiceDeps extends PeopleDeps, NeededToolsDeps, ScheduleSetup {
  log: Pick<TurnReading, "get" | "list" | "read">;
  store: KeyValue;
  leases: Leases;
  platforms: ChatPlatforms;
  submit: Submit;
  clock: Clock;
  logger: Log;
  /** The server's zone, IANA name. */
  time_zone: string;
  /** The public address of the bot; without it, addresses of webhooks have no host. */
  public_url?: string | undefined;
  ports: Pick<JobDeps, "folders">;
  redact: JobDeps["redact"];
  overBudget: GoalRunDeps["overBudget"];
  stop: GoalRunDeps["stop"];
  report(error: unknown, where: string): void;
}

/** Plans, stores and runs schedules, triggers, goals and jobs. */
export interface ScheduleService extends Planning {
  readonly goals: Goals;
  readonly jobs: JobService;
  readonly watch: ChatWatch;
  readonly hooks: Pick<Webhooks, "take">;
  readonly clockwork: Pick<Clockwork, "start" | "stop">;
}

export function createScheduleService(deps: ScheduleServiceDeps): ScheduleService {
  const { due, clock, store } = deps;
  const now = () => clock.now();
  const book = createPlanBook(due);
  const events = createHeldEvents(due);
  const people = createPeopleNow(deps);
  const tools = createNeededTools(deps);
  const zoneFor = async (author: Planner["author"], namespace: string) =>
    zoneOf(author, (await settingsOf(store, namespace)).time_zone, deps.time_zone);
  const shared = { ...deps, book, events, people, tools, now, wake: () => clockwork.wake(), zoneFor };
  const watch = createChatWatch(shared);
  const hooks = createWebhooks(shared);
  const jobs = createJobs({ ...shared, ...deps.ports });
  const run = {
    ...shared,
    jobs,
    isPaused: async (namespace: string) => (await settingsOf(store, namespace)).paused !== undefined,
  };
  const clockwork = createClockwork({ ...deps, run: (entry) => runEntry(entry) });

  const runEntry = async (entry: DueEntry) => {
    if (entry.kind === dueKinds.watched) return watch.quiet(entry);
    if (entry.kind === dueKinds.seen) return void (await due.remove(entry.id));
    const goal = readGoal(entry);
    if (goal !== undefined) return runGoal(run, goal);
    const plan = readPlan(entry);
    if (plan === undefined) {
      deps.logger.warn({ id: entry.id, kind: entry.kind }, "A due entry cannot be read and will not run");
      await due.change(entry.id, (stored) => ({ ...stored, due_at: undefined }));
    } else if (plan.value.what === "trigger") await runTrigger(run, plan as Entry<Trigger>);
    else await runSchedule(run, plan as Entry<Schedule>);
  };
  const keeping = createPlanKeeping({ ...shared, hooks, watch });
  return {
    ...keeping,
    goals: createGoals(shared),
    jobs,
    watch,
    hooks,
    clockwork,
    plan: createPlanning(shared),
    replan: createReplanning(shared, keeping.mayChange),
  };
}
