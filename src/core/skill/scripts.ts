import type { CodeLanguage, CodeMeans, ScriptOutcome } from "../ports/code.ts";
import type { MountedFolder } from "../ports/working-folder.ts";
import type { NetworkAccess, Verdict } from "./programs.ts";
import type { Skill } from "./skill.ts";

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
