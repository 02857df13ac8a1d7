import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { changesInWords } from "../../core/effects/folder-run.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { type ScheduleLimits, type Trigger, triggerSchema } from "../../core/ports/schedule.ts";
import type { JobRequest, Jobs } from "../../core/ports/schedules.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { redactOutcome, type ScriptOutcome } from "../../core/ports/work-context.ts";
import { outputFolder, type WorkingFolders } from "../../core/ports/working-folder.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Redactor } from "../../core/values/redact.ts";
import type { HeldEvents } from "./held-events.ts";
import type { PlanBook } from "./plan-book.ts";
import type { Entry } from "./planning.ts";
import { jobEnd, noteEvent, vouchedUntil } from "./run-trigger.ts";

/**
 * Code that goes on after its turn, in the process that started it. A job is a trigger whose events are what happens to the code, so people
 * see it in the list of triggers, and removing it ends it. If the process dies, its jobs die with it, and their threads are told once.
 */
export interface JobService extends Jobs {
  /** Whether this process runs it. */
  isRunning(id: string): boolean;
  /** Kills the jobs of this process. */
  close(): Promise<void>;
}

export interface JobDeps {
  book: PlanBook;
  events: HeldEvents;
  platforms: ChatPlatforms;
  limits: ScheduleLimits;
  clock: Clock;
  folders: WorkingFolders;
  redact: Redactor;
  now(): number;
  wake(): void;
  report(error: unknown, where: string): void;
}

/** How long a trigger vouches for its job, and how often that is renewed, ms. */
const aliveMs = 30_000;
const beatMs = 5_000;

/** Maximum bytes of each output stream that are kept; characters of the output that an event shows from its start and its end. */
const maxOutput = 950_000;
const shown = { head: 2_000, tail: 6_000 };

/** The latest lines of a running job that an event shows, and maximum characters of each. */
const recent = { lines: 20, characters: 300 };

export function createJobs(deps: JobDeps): JobService {
  const { book, limits } = deps;
  const running = new Map<string, { controller: AbortController; work: Promise<void> }>();
  const mutex = new KeyedMutex();
  const start: JobService["start"] = async (request) => {
    const { namespace } = request.place;
    if (limits.job_ms === 0) return refused("Jobs are off here. Run it without `watch`, or tell the person.");
    const others = await jobsOf(book, namespace);
    if (others.length >= limits.jobs)
      return refused(
        `${others.length} jobs run in this channel, the maximum. \`/agent schedule\` shows them.`,
      );
    const value = newTrigger(deps, request);
    const entry = { namespace, due_at: vouchedUntil(value), value };
    const { id } = await book.add(entry, `job ${request.turn_id} ${request.call_id}`);
    const controller = new AbortController();
    const work = runJob(deps, id, request, controller).finally(() => running.delete(id));
    running.set(id, { controller, work });
    return { ok: true, value: { id, max_ms: limits.job_ms } };
  };
  return {
    // One at a time, so that two at once cannot exceed the limit.
    start: (request) => mutex.run(request.place.namespace, () => start(request)),
    isRunning: (id) => running.has(id),
    async close() {
      const all = [...running.values()];
      for (const { controller } of all) controller.abort();
      await Promise.all(all.map(({ work }) => work));
    },
  };
}

/** The running jobs of a channel. */
export async function jobsOf(book: PlanBook, namespace: string): Promise<Entry<Trigger>[]> {
  return (await book.triggers(namespace)).filter(({ value }) => value.condition.on === "job");
}

function newTrigger({ platforms, now }: JobDeps, { author, place, name }: JobRequest): Trigger {
  const made_at = now();
  return triggerSchema.parse({
    what: "trigger",
    text: "Go on with what you started the job for.",
    maker: author,
    on_platform: platforms.of(place.namespace) !== undefined,
    thread: place.thread,
    made_at,
    condition: { on: "job", language: name, alive_until: made_at + aliveMs },
  });
}

function refused(message: string): Outcome<never> {
  return { ok: false, status: 409, message };
}

/** Runs a job to its end and stores what happens. Never rejects. When its trigger is removed, the job is killed. */
async function runJob(
  deps: JobDeps,
  id: string,
  request: JobRequest,
  controller: AbortController,
): Promise<void> {
  const { signal } = controller;
  const { thread } = request.place;
  const fail = (error: unknown) => deps.report(error, "a job");
  const note = async (key: string, happened: string) => {
    await noteEvent(deps.book, deps, id, { key, at: deps.now(), thread, happened: deps.redact(happened) });
    deps.wake();
  };
  const watch = watchOutput(deps, request, (key, happened) => void note(key, happened).catch(fail));
  const endBeat = vouch(deps, id, controller);
  try {
    const happened = await runOnFolder(deps, id, request, watch.line, signal);
    if (!signal.aborted) await note(jobEnd, happened);
  } catch (error) {
    if (signal.aborted) return;
    fail(error);
    await note(jobEnd, "The job could not be run to its end.").catch(fail);
  } finally {
    watch.end();
    endBeat();
  }
}

/** Renews the trigger of a running job. Without one, the job is killed. */
function vouch({ clock, book, now }: JobDeps, id: string, controller: AbortController): () => void {
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.after(beatMs, () => void beat().catch(schedule));
  };
  const beat = async () => {
    const alive_until = now() + aliveMs;
    const known = await book.change(id, ({ value, due_at }) => {
      if (value.what !== "trigger" || value.condition.on !== "job") return undefined;
      // Unless an event waits, it is due when nobody vouches for the job any more.
      const isWaiting = due_at !== undefined && due_at !== vouchedUntil(value);
      const next = isWaiting ? due_at : alive_until;
      return { value: { ...value, condition: { ...value.condition, alive_until } }, due_at: next };
    });
    if (known === undefined) controller.abort();
    else if (!controller.signal.aborted) schedule();
  };
  schedule();
  return () => cancel();
}

/** Tells once of a line with the text that is waited for, and once of silence. */
function watchOutput(
  { clock }: JobDeps,
  { line: wanted, quiet_ms }: JobRequest,
  tell: (key: string, happened: string) => void,
) {
  const lines: string[] = [];
  let [waits, quietMs] = [wanted !== undefined, quiet_ms];
  let cancel = () => {};
  const listen = () => {
    cancel();
    if (quietMs === undefined) return;
    cancel = clock.after(quietMs, () => {
      tell(
        "quiet",
        `The job runs and has printed nothing for ${(quiet_ms ?? 0) / 1_000} s.\n${lines.join("\n")}`,
      );
      quietMs = undefined;
    });
  };
  listen();
  return {
    line(text: string) {
      lines.push(text.slice(0, recent.characters));
      if (lines.length > recent.lines) lines.shift();
      listen();
      if (!waits || !text.includes(wanted ?? "")) return;
      waits = false;
      tell("line", `The job runs and has printed the line.\n${lines.join("\n")}`);
    },
    end: () => cancel(),
  };
}

/** Runs the code beside other code of the thread, and keeps its output as a file. Returns how it ended, and what it left. */
async function runOnFolder(
  { folders, redact, limits: { job_ms } }: JobDeps,
  id: string,
  { place, turn_id, call_id, text, run }: JobRequest,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const folder = folders.of(place);
  const how = { writer: { kind: "agent" }, turn_id, call_id, text } as const;
  const limits = { timeout_ms: job_ms, max_output_bytes: maxOutput };
  const hosts = new Set<string>();
  const onHost = (host: string) => void hosts.add(host);
  const { value, changed } = await folder.use(
    { ...how, shared: true },
    (working) => run({ working, signal, onLine, onHost, ...limits }),
    signal,
  );
  const [ending, output] = endOf(redactOutcome(value, redact), job_ms);
  const name = `job-${id}.txt`;
  const file = { name, data: new TextEncoder().encode(output) };
  const kept = await folder.write(file, { ...how, call_id: `${call_id}/output` }, signal).then(
    () => `the whole output is ${outputFolder}/${name}`,
    () => "the folder has no room for the whole output",
  );
  const left = changesInWords(changed);
  const reached = hosts.size === 0 ? "" : `[it reached ${[...hosts].slice(0, recent.lines).join(", ")}]`;
  return [ending, cutInside(output, kept), reached, left === "" ? "" : `[it ${left}]`]
    .filter(Boolean)
    .join("\n");
}

function endOf(outcome: ScriptOutcome, maxMs: number): [ending: string, output: string] {
  if (outcome.status === "refused") return ["The job could not be started.", outcome.reason];
  const output = [outcome.stdout.trimEnd(), outcome.stderr.trimEnd()].filter(Boolean).join("\n");
  if (outcome.status === "timed_out")
    return [`The job was stopped after ${maxMs / 60_000} min, its limit.`, output];
  return [`The job ended with the exit code ${outcome.exit_code}.`, output];
}

/** The start and the end of a text, with a note on the rest in between. */
function cutInside(text: string, note: string): string {
  const { head, tail } = shown;
  if (text.length <= head + tail) return text;
  const rest = text.length - head - tail;
  return `${text.slice(0, head).toWellFormed()}\n[${rest} characters more; ${note}]\n${text.slice(-tail).toWellFormed()}`;
}
