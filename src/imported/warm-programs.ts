import type { Clock } from "../core/ports/storage.ts";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Place } from "../core/values/place.ts";
import type { ToHost } from "./host/protocol.ts";
import { type CallOutcome, HostedProgram, type ProgramCall } from "./hosted-program.ts";

interface WarmCall extends ProgramCall {
  skill: Skill;
  /** The thread that it works for, if any. Programs are not shared between threads, because they may remember data. */
  place?: Place;
  working?: MountedFolder | undefined;
  setup: ToHost;
  env: Readonly<Record<string, string>>;
  /** Its abort kills the process, together with the other calls that it serves. */
  signal: AbortSignal;
}

export type WarmPrograms = ReturnType<typeof createWarmPrograms>;

export interface WarmProgramsOptions {
  programs: ProgramRunner;
  clock: Pick<Clock, "after">;
  /** How long an idle program is kept, ms. */
  idle_ms: number;
  /** Maximum idle programs. */
  maxIdle: number;
  onLog(skillId: string, text: string): void;
}

interface Entry {
  skillId: string;
  /** Identifies the version and settings of the skill. */
  version: string;
  program: HostedProgram;
  cancelIdle(): void;
}

/**
 * Keeps programs of skills running after a call for the next one. A program serves only one skill, version and thread.
 */
export function createWarmPrograms(options: WarmProgramsOptions) {
  /** The least recently used program comes first. */
  const warm = new Map<string, Entry>();

  const stop = (key: string, reason: string): void => {
    const entry = warm.get(key);
    warm.delete(key);
    entry?.cancelIdle();
    entry?.program.stop(reason);
  };
  const start = (key: string, version: string, { skill, setup, env, working }: WarmCall): Entry => {
    const program = new HostedProgram({
      programs: options.programs,
      skill,
      setup,
      env,
      working,
      onLog: (text) => options.onLog(skill.id, text),
      onEnd: () => {
        entry.cancelIdle();
        if (warm.get(key) === entry) warm.delete(key);
      },
    });
    const entry: Entry = { skillId: skill.id, version, program, cancelIdle: () => {} };
    return entry;
  };
  const trim = (skillId: string, version: string): void => {
    const idle = [...warm].filter(([, { program }]) => program.calls === 0);
    for (const [other, entry] of idle)
      if (entry.skillId === skillId && entry.version !== version) stop(other, "The skill has changed.");
    for (const [other] of idle.slice(0, Math.max(0, idle.length - options.maxIdle)))
      stop(other, "Other skills needed its place.");
  };

  return {
    /** Never rejects. */
    async call(request: WarmCall): Promise<CallOutcome> {
      const { skill, signal, env, place, working } = request;
      const version = JSON.stringify([skill.origin.path, skill.hash, env]);
      // The mounts of a running program cannot change.
      const shown = working?.mounts.map(({ to, version = "" }) => [to, version]);
      const key = JSON.stringify([skill.id, version, place?.namespace, place?.thread, shown]);
      const entry = warm.get(key) ?? start(key, version, request);
      warm.delete(key);
      warm.set(key, entry);
      entry.cancelIdle();
      const abort = () => {
        if (warm.get(key) === entry) warm.delete(key);
        entry.program.stop(
          "Another call of this skill ran too long or was stopped, and its process with it.",
        );
      };
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
      const outcome = await entry.program.call(request);
      signal.removeEventListener("abort", abort);
      if (entry.program.calls === 0 && warm.get(key) === entry) {
        entry.cancelIdle = options.clock.after(options.idle_ms, () => stop(key, "It was not used."));
      }
      trim(skill.id, version);
      return outcome;
    },
    /** Stops all of them. */
    close(): void {
      for (const key of [...warm.keys()]) stop(key, "The bot is shutting down.");
    },
  };
}
