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

export interface ScriptRequest {
  skill: Skill;
  work: ScriptWork;
  /** In an argument `{baseDir}` is replaced by `KNACK_SKILL_DIR` as the script sees it, and `{outputDir}` by `KNACK_OUTPUT_DIR`. */
  args: readonly string[];
  stdin: string;
  /**
   * The whole environment of the script, beside what the sandbox itself sets: PATH, HOME, `KNACK_SKILL_DIR`, `KNACK_WORKSPACE`,
   * and `KNACK_OUTPUT_DIR`, a folder that is there and empty when the script begins.
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

/** A regular file a script left in `KNACK_OUTPUT_DIR`, folders below it included. */
export interface ScriptFile {
  /** Its path in that folder, with forward slashes. */
  name: string;
  data: Uint8Array;
}

/** A runner hands on at most this many files of one run, and this many bytes in all. */
export const scriptFileLimits = { files: 10, bytes: 25_000_000 };

export type ScriptOutcome =
  | {
      status: "exited";
      exit_code: number;
      stdout: string;
      stderr: string;
      truncated: boolean;
      files?: readonly ScriptFile[];
      /** Why further files were not handed on, in words for a person. */
      files_left_out?: string;
    }
  | { status: "timed_out"; stdout: string; stderr: string }
  | { status: "refused"; reason: string };
