import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { changesInWords } from "../../core/effects/folder-run.ts";
import { type JobRequest, type StartedJob, type Trigger, triggerSchema } from "../../core/ports/schedules.ts";
import { redactOutcome, type ScriptOutcome } from "../../core/ports/work-means.ts";
import { outputFolder } from "../../core/ports/working-folder.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { noteEvent } from "./held-events.ts";
import { type Entry, idOf, type PlanBook } from "./plan-book.ts";
import { madeBy, type Planning, refused } from "./planning.ts";
import { jobEnd, vouchedUntil } from "./run-trigger.ts";

/** How long a trigger vouches for its job, and how often that is renewed, ms. */
const aliveMs = 30_000;
const beatMs = 5_000;

/** Maximum bytes of each output stream that are kept; characters of the output that an event shows from its start and its end. */
const maxOutput = 950_000;
const shown = { head: 2_000, tail: 6_000 };

/** The latest lines of a running job that an event shows, and maximum characters of each. */
const recent = { lines: 20, characters: 300 };

/**
 * Code that goes on after its turn, in the process that started it. A job is a trigger whose events are what happens to the code, so people
 * see it in the list of triggers, and removing it ends it. If the process dies, its jobs die with it, and their threads are told once.
 */
export class JobRunner {
  readonly #planning: Planning;
  readonly #running = new Map<string, { controller: AbortController; work: Promise<void> }>();
  readonly #mutex = new KeyedMutex();

  constructor(planning: Planning) {
    this.#planning = planning;
  }

  start(request: JobRequest): Promise<Outcome<StartedJob>> {
    // One at a time, so that two at once cannot exceed the limit.
    return this.#mutex.run(request.place.namespace, () => this.#start(request));
  }

  async #start(request: JobRequest): Promise<Outcome<StartedJob>> {
    const { book, limits } = this.#planning;
    const { turn_id, call_id, place } = request;
    if (limits.job_ms === 0)
      return refused("Jobs are off here. Run it without `watch`, or tell the person.", 409);
    const { length } = await jobsOf(book, place.namespace);
    if (length >= limits.jobs)
      return refused(`${length} jobs run in this channel, the maximum. \`/agent schedule\` shows them.`, 409);
    const value = triggerSchema.parse({
      ...madeBy(this.#planning, request),
      what: "trigger",
      text: "Go on with what you started the job for.",
      condition: { on: "job", language: request.name, alive_until: this.#planning.clock.now() + aliveMs },
    });
    const id = idOf(`job ${turn_id} ${call_id}`);
    await book.add({ id, namespace: place.namespace, due_at: vouchedUntil(value), value });
    const controller = new AbortController();
    const work = runJob(this.#planning, id, request, controller).finally(() => this.#running.delete(id));
    this.#running.set(id, { controller, work });
    return { ok: true, value: { id, max_ms: limits.job_ms } };
  }

  /** Whether this process runs it. */
  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Kills the jobs of this process. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ work }) => work));
  }
}

/** The running jobs of a channel. */
export async function jobsOf(book: PlanBook, namespace: string): Promise<Entry<Trigger>[]> {
  return (await book.of("trigger", namespace)).filter(({ value }) => value.condition.on === "job");
}

/** Runs a job to its end and stores what happens. Never rejects. When its trigger is removed, the job is killed. */
async function runJob(
  planning: Planning,
  id: string,
  request: JobRequest,
  controller: AbortController,
): Promise<void> {
  const { signal } = controller;
  const { thread } = request.place;
  const fail = (error: unknown) => planning.report(error, "a job");
  const note = (key: string, happened: string) =>
    noteEvent(planning, id, { key, at: planning.clock.now(), thread, happened: planning.redact(happened) });
  const watch = watchOutput(planning, request, (key, happened) => void note(key, happened).catch(fail));
  const endBeat = vouch(planning, id, controller);
  try {
    const happened = await runOnFolder(planning, id, request, watch.line, signal);
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
function vouch({ clock, book }: Planning, id: string, controller: AbortController): () => void {
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.after(beatMs, () => void beat().catch(schedule));
  };
  const beat = async () => {
    const alive_until = clock.now() + aliveMs;
    const known = await book.change<Trigger>(id, ({ value, due_at }) => {
      if (value.condition.on !== "job") return undefined;
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
  { clock }: Planning,
  { line: wanted, quiet_ms }: JobRequest,
  note: (key: string, happened: string) => void,
) {
  const lines: string[] = [];
  const pending = new Set(["line", "quiet"]);
  const tell = (key: string, printed: string) => {
    pending.delete(key);
    note(key, `The job runs and has printed ${printed}.\n${lines.join("\n")}`);
  };
  let cancel = () => {};
  const listen = () => {
    cancel();
    if (quiet_ms !== undefined && pending.has("quiet"))
      cancel = clock.after(quiet_ms, () => tell("quiet", `nothing for ${quiet_ms / 1_000} s`));
  };
  listen();
  return {
    line(text: string) {
      lines.push(text.slice(0, recent.characters));
      if (lines.length > recent.lines) lines.shift();
      listen();
      if (wanted !== undefined && pending.has("line") && text.includes(wanted)) tell("line", "the line");
    },
    end: () => cancel(),
  };
}

/** Runs the code beside other code of the thread, and keeps its output as a file. Returns how it ended, and what it left. */
async function runOnFolder(
  { folders, redact, limits: { job_ms } }: Planning,
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
