import type { Clock } from "../core/ports/storage.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { Place } from "../core/values/place.ts";
import { type CallOutcome, HostedProgram, type ProgramCall, type ProgramStart } from "./hosted-program.ts";

interface WarmCall extends ProgramCall, ProgramStart {
  /** The thread that it works for, if any. Programs are not shared between threads, because they may remember data. */
  place?: Place;
  /** Its abort kills the process, together with the other calls that it serves. */
  signal: AbortSignal;
}

interface Entry {
  skillId: string;
  /** Identifies the version and settings of the skill. */
  version: string;
  program: HostedProgram;
  cancelIdle(): void;
}

/** Keeps programs of skills running after a call for the next one. A program serves only one skill, version and thread. */
export class WarmPrograms {
  readonly #programs: ProgramRunner;
  readonly #clock: Pick<Clock, "after">;
  readonly #idleMs: number;
  readonly #maxIdle: number;
  readonly #onLog: (skillId: string, text: string) => void;
  /** The least recently used program comes first. */
  readonly #warm = new Map<string, Entry>();

  /**
   * @param idleMs how long an idle program is kept
   * @param maxIdle maximum idle programs
   */
  constructor(
    programs: ProgramRunner,
    clock: Pick<Clock, "after">,
    { idleMs, maxIdle }: { idleMs: number; maxIdle: number },
    onLog: (skillId: string, text: string) => void,
  ) {
    this.#programs = programs;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#maxIdle = maxIdle;
    this.#onLog = onLog;
  }

  /** Never rejects. */
  async call(request: WarmCall): Promise<CallOutcome> {
    const { skill, signal, env, place, working } = request;
    const version = JSON.stringify([skill.origin.path, skill.hash, env]);
    // The mounts of a running program cannot change.
    const shown = working?.mounts.map(({ to, version = "" }) => [to, version]);
    const key = JSON.stringify([skill.id, version, place?.namespace, place?.thread, shown]);
    const entry = this.#warm.get(key) ?? this.#start(key, version, request);
    this.#warm.delete(key);
    this.#warm.set(key, entry);
    entry.cancelIdle();
    const abort = () => {
      if (this.#warm.get(key) === entry) this.#warm.delete(key);
      entry.program.stop("Another call of this skill ran too long or was stopped, and its process with it.");
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const outcome = await entry.program.call(request);
    signal.removeEventListener("abort", abort);
    if (entry.program.calls === 0 && this.#warm.get(key) === entry)
      entry.cancelIdle = this.#clock.after(this.#idleMs, () => this.#stop(key, "It was not used."));
    this.#trim(skill.id, version);
    return outcome;
  }

  /** Stops all of them. */
  close(): void {
    for (const key of [...this.#warm.keys()]) this.#stop(key, "The bot is shutting down.");
  }

  #start(key: string, version: string, start: ProgramStart): Entry {
    const { id: skillId } = start.skill;
    const onLog = (text: string) => this.#onLog(skillId, text);
    const program = new HostedProgram(this.#programs, start, onLog, () => {
      entry.cancelIdle();
      if (this.#warm.get(key) === entry) this.#warm.delete(key);
    });
    const entry: Entry = { skillId, version, program, cancelIdle: () => {} };
    return entry;
  }

  #stop(key: string, reason: string): void {
    const entry = this.#warm.get(key);
    this.#warm.delete(key);
    entry?.cancelIdle();
    entry?.program.stop(reason);
  }

  #trim(skillId: string, version: string): void {
    const idle = [...this.#warm].filter(([, { program }]) => program.calls === 0);
    for (const [other, entry] of idle)
      if (entry.skillId === skillId && entry.version !== version) this.#stop(other, "The skill has changed.");
    for (const [other] of idle.slice(0, Math.max(0, idle.length - this.#maxIdle)))
      this.#stop(other, "Other skills needed its place.");
  }
}
