import type { Skill } from "./skill.ts";

/** Runs a script of a skill isolated from the bot: own process, workspace, limits, and only declared variables. */
export interface ScriptRunner {
  /**
   * Whether scripts of this skill can run here, and if not, why, in words for a person. Isolation weaker than the
   * skill's origin requires is a reason.
   */
  allows(skill: Skill): { ok: true } | { ok: false; reason: string };
  run(request: ScriptRequest): Promise<ScriptOutcome>;
}

export interface ScriptRequest {
  skill: Skill;
  /** Relative path within the skill's folder. */
  script: string;
  args: readonly string[];
  stdin: string;
  /** The whole environment of the script, beside PATH and HOME of the sandbox. */
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeout_ms: number;
  max_output_bytes: number;
  /** A line of output as it comes. */
  onLine?(line: string): void;
}

export type ScriptOutcome =
  | { status: "exited"; exit_code: number; stdout: string; stderr: string; truncated: boolean }
  | { status: "timed_out"; stdout: string; stderr: string }
  | { status: "refused"; reason: string };
