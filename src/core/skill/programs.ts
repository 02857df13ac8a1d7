import type { CodeLanguage, CodeMeans, ScriptOutcome } from "../ports/work-means.ts";
import type { MountedFolder } from "../ports/working-folder.ts";
import type { Json } from "../values/json.ts";
import type { KeyPlace, Skill } from "./skill.ts";

/** Whether something is allowed here; `reason` is for a person. `unconfined`: it would run without a sandbox. */
export type Verdict = { ok: true; unconfined?: true } | { ok: false; reason: string };

/**
 * Runs long-lived programs of skills isolated from the bot, with the isolation of `ScriptRunner`. They exchange JSON, one value per line,
 * until they are killed. A program serves one skill only and is never passed to another.
 */
export interface ProgramRunner {
  /** Whether code of this skill can run here. Refused if isolation is weaker than the skill's origin requires. */
  allows(skill: Skill): Promise<Verdict>;
  /** Resolves once the process runs. @throws ProgramError if it cannot be started */
  start(request: ProgramRequest): Promise<RunningProgram>;
}

export interface ProgramRequest {
  skill: Skill;
  /** Absolute path of the bot's own module that Node runs. The module finds the skill's folder in `KNACK_SKILL_DIR`. */
  module: string;
  /** The whole environment, apart from the variables set by the sandbox (`KNACK_SKILL_DIR`, `KNACK_WORKSPACE`, HOME, PATH …). */
  env: Readonly<Record<string, string>>;
  /** Packages of the bot that its code may `require`, with those they need. */
  libraries?: readonly string[];
  /** The working folder of the thread it works for, for its whole lifetime. */
  working?: MountedFolder | undefined;
  /** Without it there is no network. */
  network?: NetworkAccess;
  /** A value written by the program. Lines that are not JSON, and output on stderr, are passed to `onText`. */
  onMessage(message: Json): void;
  onText?(line: string): void;
  /** Other programs wait for its slot: a program that is not needed at the moment may be killed. */
  onWanted?(): void;
  /** Called once, when it ended, was killed, or exceeded a limit. `reason` is for a person. */
  onEnd(end: { reason: string }): void;
}

export interface RunningProgram {
  send(message: Json): void;
  /** Kills the process and everything it started, at once. */
  kill(): void;
}

/** The hosts that sandboxed code may reach. Private addresses are refused in any case. */
export interface NetworkAccess {
  /**
   * Called for every connection, with the host's name in lower case, or the address if no name was used; with `host:port` for ports other
   * than 80 and 443.
   */
  permits(host: string): boolean;
  /** Keys that the code does not get: it has the placeholders in their place. */
  keys?: readonly HostKey[];
}

/** A key that is put into requests to one host, on their way out. */
export interface HostKey extends KeyPlace {
  /** The value of the code's variable. */
  placeholder: string;
  key: string;
}

/** Why a program did not start; the message is for a person. */
export class ProgramError extends Error {
  readonly code = "program_failed";
}

/** Runs a script of a skill isolated from the bot: separate process, workspace, limits, and only declared variables. */
export interface ScriptRunner {
  /**
   * Whether scripts of this skill can run here; if not, the reason for a person. Refused if isolation is weaker than the skill's origin
   * requires.
   */
  allows(skill: Skill): Promise<Verdict>;
  run(request: ScriptRequest): Promise<ScriptOutcome>;
}

/** The program to run for a skill. */
export type ScriptWork =
  /** Relative path within the skill's folder. */
  | { kind: "script"; path: string }
  /**
   * A command line, run by bash in the workspace. `args` are its `$1` and so on. A runner whose isolation is not the strongest refuses it,
   * even for shipped skills.
   */
  | { kind: "command"; line: string };

export interface ScriptRequest extends RunRequest {
  skill: Skill;
  work: ScriptWork;
  /** Variables of the code, `$NAME` and `${NAME}`, are replaced as in a shell, and `{baseDir}` by `KNACK_SKILL_DIR`. */
  args: readonly string[];
  stdin: string;
}

/** The resources of a run. */
export interface RunRequest {
  /** Its working folder. Without one the run gets an empty folder that is deleted afterwards. */
  working?: MountedFolder | undefined;
  /**
   * Skills whose files are visible in the working folder, read-only: each below `skills/ID`, and under its own paths where neither the
   * thread nor an earlier skill has an entry of that name. The skill of a script comes first by itself.
   */
  skills?: readonly Skill[] | undefined;
  /**
   * The whole environment of the code, apart from the variables set by the sandbox: PATH, HOME, `KNACK_SKILL_DIR`, `KNACK_WORKSPACE`,
   * `KNACK_OUTPUT_DIR` (an existing folder) and, in a working folder, `KNACK_INPUT_DIR`.
   */
  env: Readonly<Record<string, string>>;
  /** Without it there is no network. */
  network?: NetworkAccess;
  signal: AbortSignal;
  timeout_ms: number;
  max_output_bytes: number;
  /** Called for each line of output as it arrives. */
  onLine?(line: string): void;
}

/** Runs code written by a model, only in a sandbox that isolates it from everything except the working folder. */
export interface CodeRunner {
  /** The environment of such code or, if it cannot run, the reason for a person. Determined once. */
  means(): Promise<({ ok: true } & CodeMeans) | { ok: false; reason: string }>;
  run(request: CodeRequest): Promise<ScriptOutcome>;
}

export interface CodeRequest extends Omit<RunRequest, "env" | "network"> {
  language: CodeLanguage;
  code: string;
  /** Answers the calls that the code makes; without it, it can make none. */
  onCall?: CallOfCode;
  /** Called for each connection with its host. */
  onHost?(host: string): void;
}

/** The output of a tool that running code calls. Rejects with an error whose message the code gets. */
export type CallOfCode = (tool: string, input: Json) => Promise<Json>;
