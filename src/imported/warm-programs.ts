import type { Clock } from "../core/ports/storage.ts";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Place } from "../core/values/place.ts";
import type { ToHost } from "./host/protocol.ts";
import { type CallOutcome, HostedProgram, type ProgramCall } from "./hosted-program.ts";

interface WarmCall extends ProgramCall {
  skill: Skill;
  /** The thread it works for, if it does: what a program remembers of one is not there in another. */
  place?: Place;
  working?: MountedFolder | undefined;
  setup: ToHost;
  env: Readonly<Record<string, string>>;
  /** Aborted, the process is killed, and with it the other calls it serves. */
  signal: AbortSignal;
}

/**
 * Programs of skills that are kept after a call, so that the next one finds them running. None serves two skills, two versions or two
 * threads.
 */
export interface WarmPrograms {
  /** Never rejects. */
  call(request: WarmCall): Promise<CallOutcome>;
  /** Stops all of them. */
  close(): void;
}

export interface WarmProgramsOptions {
  programs: ProgramRunner;
  clock: Pick<Clock, "after">;
  /** How long a program that nobody calls is kept, ms. */
  idle_ms: number;
  /** How many are kept that nobody calls. */
  most: number;
  onLog(skillId: string, text: string): void;
}

interface Entry {
  skillId: string;
  /** What makes programs of one skill differ, its thread left out. */
  version: string;
  program: HostedProgram;
  cancelIdle(): void;
}

export function createWarmPrograms(options: WarmProgramsOptions): WarmPrograms {
  /** The one that was used last comes last. */
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
    for (const [other] of idle.slice(0, Math.max(0, idle.length - options.most)))
      stop(other, "Other skills needed its place.");
  };

  return {
    async call(request) {
      const { skill, signal, env, place, working } = request;
      const version = JSON.stringify([skill.origin.path, skill.hash, env]);
      // What it is shown cannot be changed while it runs.
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
    close() {
      for (const key of [...warm.keys()]) stop(key, "The bot is shutting down.");
    },
  };
}
