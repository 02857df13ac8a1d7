import type { CodeLanguage, CodeMeans, ScriptOutcome } from "../ports/work-context.ts";
import type { MountedFolder } from "../ports/working-folder.ts";
import type { Json } from "../values/json.ts";
import type { Skill } from "./skill.ts";

/** Whether something may happen here; `reason` is written for a person. `unconfined`: it runs without a sandbox then. */
export type Verdict = { ok: true; unconfined?: true } | { ok: false; reason: string };

/**
 * Runs programs of skills isolated from the bot, as `ScriptRunner` does, that stay: they speak JSON, one value a line, until they
 * are killed. A program serves one skill alone and is never handed to another.
 */
export interface ProgramRunner {
  /** Whether code of this skill can run here; isolation weaker than its origin requires is a reason against it. */
  allows(skill: Skill): Promise<Verdict>;
  /** Resolves once the process runs. @throws ProgramError when it cannot be started */
  start(request: ProgramRequest): Promise<RunningProgram>;
}

export interface ProgramRequest {
  skill: Skill;
  /** Absolute path of the bot's own module that is run by Node; inside it finds the skill's folder in `KNACK_SKILL_DIR`. */
  module: string;
  /** The whole environment, beside what the sandbox itself sets (`KNACK_SKILL_DIR`, `KNACK_WORKSPACE`, HOME, PATH …). */
  env: Readonly<Record<string, string>>;
  /** The working folder of the thread it works for, for as long as it stays. */
  working?: MountedFolder | undefined;
  /** Without it there is no network at all. */
  network?: NetworkAccess;
  /** A value the program wrote. Lines that are no JSON, and what it writes to stderr, come as `onText`. */
  onMessage(message: Json): void;
  onText?(line: string): void;
  /** Others wait for its place: a program that nobody needs now may be killed. */
  onWanted?(): void;
  /** Called once: it ended by itself, was killed, or broke a limit. `reason` is written for a person. */
  onEnd(end: { reason: string }): void;
}

export interface RunningProgram {
  send(message: Json): void;
  /** Kills the process and everything it started, at once. */
  kill(): void;
}

/** Which hosts sandboxed code may reach. Private addresses are refused besides, whatever this says. */
export interface NetworkAccess {
  /**
   * Asked for every connection with the host's name in lower case, or the address when none was used; for other ports than
   * 80 and 443 with `host:port`.
   */
  permits(host: string): boolean;
}

/** Why a program did not start; the message is written for a person. */
export class ProgramError extends Error {
  readonly code = "program_failed";
}

/** Runs a script of a skill isolated from the bot: own process, workspace, limits, and only declared variables. */
export interface ScriptRunner {
  /**
   * Whether scripts of this skill can run here, and if not, why, in words for a person. Isolation weaker than the
   * skill's origin requires is a reason.
   */
  allows(skill: Skill): Promise<Verdict>;
  run(request: ScriptRequest): Promise<ScriptOutcome>;
}

/** What is run for a skill. */
export type ScriptWork =
  /** Relative path within the skill's folder. */
  | { kind: "script"; path: string }
  /**
   * A command line, which bash runs in the workspace. `args` are its `$1` and so on. A runner refuses it where isolation is weaker than
   * its best, of skills that ship too.
   */
  | { kind: "command"; line: string };

export interface ScriptRequest extends RunRequest {
  skill: Skill;
  work: ScriptWork;
  /** The code's variables in them are replaced as a shell does, `$NAME` and `${NAME}`, and `{baseDir}` by `KNACK_SKILL_DIR`. */
  args: readonly string[];
  stdin: string;
}

/** What a run may use. */
export interface RunRequest {
  /** The working folder it works in. Without one it has an empty one of its own, which is gone with it. */
  working?: MountedFolder | undefined;
  /**
   * The whole environment of the code, beside what the sandbox itself sets: PATH, HOME, `KNACK_SKILL_DIR`, `KNACK_WORKSPACE`,
   * `KNACK_OUTPUT_DIR`, a folder that is there when it begins, and, in a working folder, `KNACK_INPUT_DIR`.
   */
  env: Readonly<Record<string, string>>;
  /** Without it there is no network at all. */
  network?: NetworkAccess;
  signal: AbortSignal;
  timeout_ms: number;
  max_output_bytes: number;
  /** A line of output as it comes. */
  onLine?(line: string): void;
}

/** Runs code that a model wrote, in a sandbox that keeps it from everything but the working folder; nowhere else. */
export interface CodeRunner {
  /** What such code finds here; if it cannot run, why, in words for a person. Found out once. */
  means(): Promise<({ ok: true } & CodeMeans) | { ok: false; reason: string }>;
  run(request: CodeRequest): Promise<ScriptOutcome>;
}

export interface CodeRequest extends Omit<RunRequest, "env" | "network"> {
  language: CodeLanguage;
  code: string;
}
