import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { changesInWords } from "../../core/effects/folder-run.ts";
import { innerCallId } from "../../core/log/call-id.ts";
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
  readonly #running = new Map<string, RunningJob>();
  readonly #mutex = new KeyedMutex();

  constructor(planning: Planning) {
    this.#planning = planning;
  }

  start(request: JobRequest): Promise<Outcome<StartedJob>> {
    // One at a time, so that two at once cannot exceed the limit.
    return this.#mutex.run(request.place.namespace, () => this.#start(request));
  }

  async #start(request: JobRequest): Promise<Outcome<StartedJob>> {
    const { book, limits, clock } = this.#planning;
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
      condition: { on: "job", language: request.name, alive_until: clock.now() + aliveMs },
    });
    const id = idOf(`job ${turn_id} ${call_id}`);
    await book.add({ id, namespace: place.namespace, due_at: vouchedUntil(value), value });
    const job = new RunningJob(this.#planning, id, request);
    this.#running.set(id, job);
    void job.ended.then(() => this.#running.delete(id));
    return { ok: true, value: { id, max_ms: limits.job_ms } };
  }

  /** Whether this process runs it. */
  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Kills the jobs of this process. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((job) => job.kill()));
  }
}

/** The running jobs of a channel. */
export async function jobsOf(book: PlanBook, namespace: string): Promise<Entry<Trigger>[]> {
  return (await book.of("trigger", namespace)).filter(({ value }) => value.condition.on === "job");
}

/** A job of this process, from its start to its end. When its trigger is removed, it is killed. */
class RunningJob {
  readonly #planning: Planning;
  readonly #id: string;
  readonly #request: JobRequest;
  readonly #killed = new AbortController();
  readonly #lines: string[] = [];
  /** What is told once: a line with the text that is waited for, and silence. */
  readonly #untold = new Set(["line", "quiet"]);
  #endBeat = () => {};
  #endQuiet = () => {};
  /** Resolves when the job has ended and what happened is stored. Never rejects. */
  readonly ended: Promise<void>;

  constructor(planning: Planning, id: string, request: JobRequest) {
    this.#planning = planning;
    this.#id = id;
    this.#request = request;
    this.ended = this.#run();
  }

  async kill(): Promise<void> {
    this.#killed.abort();
    await this.ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#killed;
    this.#awaitSilence();
    this.#vouchLater();
    try {
      const happened = await this.#runOnFolder();
      if (!signal.aborted) await this.#note(jobEnd, happened);
    } catch (error) {
      if (signal.aborted) return;
      this.#report(error);
      await this.#note(jobEnd, "The job could not be run to its end.").catch(this.#report);
    } finally {
      this.#endQuiet();
      this.#endBeat();
    }
  }

  readonly #report = (error: unknown) => this.#planning.report(error, "a job");

  #note(key: string, text: string): Promise<unknown> {
    const { clock, redact } = this.#planning;
    const { thread } = this.#request.place;
    return noteEvent(this.#planning, this.#id, { key, at: clock.now(), thread, happened: redact(text) });
  }

  #vouchLater(): void {
    this.#endBeat = this.#planning.clock.after(beatMs, () => {
      void this.#vouch().catch(() => this.#vouchLater());
    });
  }

  /** Renews the trigger of the job. Without one, the job is killed. */
  async #vouch(): Promise<void> {
    const { clock, book } = this.#planning;
    const alive_until = clock.now() + aliveMs;
    const known = await book.change<Trigger>(this.#id, ({ value, due_at }) => {
      if (value.condition.on !== "job") return undefined;
      // Unless an event waits, it is due when nobody vouches for the job any more.
      const isWaiting = due_at !== undefined && due_at !== vouchedUntil(value);
      const next = isWaiting ? due_at : alive_until;
      return { value: { ...value, condition: { ...value.condition, alive_until } }, due_at: next };
    });
    if (known === undefined) this.#killed.abort();
    else if (!this.#killed.signal.aborted) this.#vouchLater();
  }

  #tell(key: string, printed: string): void {
    this.#untold.delete(key);
    const text = `The job runs and has printed ${printed}.\n${this.#lines.join("\n")}`;
    void this.#note(key, text).catch(this.#report);
  }

  #awaitSilence(): void {
    const { quiet_ms } = this.#request;
    this.#endQuiet();
    if (quiet_ms === undefined || !this.#untold.has("quiet")) return;
    const tell = () => this.#tell("quiet", `nothing for ${quiet_ms / 1_000} s`);
    this.#endQuiet = this.#planning.clock.after(quiet_ms, tell);
  }

  #hear(text: string): void {
    const { line: wanted } = this.#request;
    this.#lines.push(text.slice(0, recent.characters));
    if (this.#lines.length > recent.lines) this.#lines.shift();
    this.#awaitSilence();
    if (wanted !== undefined && this.#untold.has("line") && text.includes(wanted))
      this.#tell("line", "the line");
  }

  /** Runs the code beside other code of the thread, and keeps its output as a file. Returns how it ended, and what it left. */
  async #runOnFolder(): Promise<string> {
    const { folders, redact, limits } = this.#planning;
    const { place, turn_id, call_id, text, run } = this.#request;
    const { signal } = this.#killed;
    const folder = folders.of(place);
    const how = { writer: { kind: "agent" }, turn_id, call_id, text } as const;
    const hosts = new Set<string>();
    const means = {
      signal,
      timeout_ms: limits.job_ms,
      max_output_bytes: maxOutput,
      onLine: (line: string) => this.#hear(line),
      onHost: (host: string) => void hosts.add(host),
    };
    const { value, changed } = await folder.use(
      { ...how, shared: true },
      (working) => run({ working, ...means }),
      signal,
    );
    const [ending, output] = endOf(redactOutcome(value, redact), limits.job_ms);
    const name = `job-${this.#id}.txt`;
    const file = { name, data: new TextEncoder().encode(output) };
    const kept = await folder.write(file, { ...how, call_id: innerCallId(call_id, "output") }, signal).then(
      () => `the whole output is ${outputFolder}/${name}`,
      () => "the folder has no room for the whole output",
    );
    const left = changesInWords(changed);
    const reached = hosts.size === 0 ? "" : `[it reached ${[...hosts].slice(0, recent.lines).join(", ")}]`;
    const parts = [ending, cutInside(output, kept), reached, left === "" ? "" : `[it ${left}]`];
    return parts.filter(Boolean).join("\n");
  }
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
