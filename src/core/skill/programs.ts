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
