import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import type { TurnOutcome } from "../core/log/turn-event.ts";
import type { Clock } from "../core/ports/storage.ts";
import type { LocalServer } from "../models/local-servers.ts";
import type { Keys } from "../platforms/terminal/line-input.ts";
import { createPaint, type Paint } from "../platforms/terminal/paint.ts";
import type { ChatOutput } from "../platforms/terminal/screen.ts";

/** A bot that runs in this process. */
export interface Bot {
  /** Answers a request to the HTTP API without listening. */
  fetch(request: Request): Promise<Response>;
  listen(): Promise<{ url: string }>;
  /** Tests how code of skills is isolated here. `lacks` says, for a person, why bubblewrap is not used and what to do. */
  isolation(): Promise<{ lacks?: { problem: string; cure: string } | undefined }>;
  /** Waits at most half a minute until all skills have started, including tool servers and packages of tools. */
  settled(): Promise<void>;
  /** Lets running turns finish within the configured time, then closes everything. */
  close(): Promise<void>;
}

/** The bot that holds a data folder. `holder` is undefined until it has reported itself. */
export type RunningBot =
  | { running: false }
  | { running: true; holder: { url: string; pid: number } | undefined };

/** Everything a command needs from its process. */
export interface CommandProcess {
  stdin: Keys;
  /** Results; with `--json` only JSON. */
  stdout: ChatOutput;
  /** Progress, diagnostics, advice. */
  stderr: ChatOutput;
  env: Environment;
  cwd: string;
  clock: Pick<Clock, "now" | "sleep">;
  /** With a role, a bot that takes part in the work; without, a separate command. */
  openBot(
    config: Config,
    options?: { role?: "all" | "gateway" | "worker"; acceptEmptyLog?: boolean | undefined },
  ): Promise<Bot>;
  /** Local addresses to search for model servers, for suggestions. */
  localServers: readonly LocalServer[];
  findRunningBot(dataFolder: string): Promise<RunningBot>;
  /** Calls back on each of these signals; returns a function that stops listening. */
  onSignal(names: readonly ("SIGINT" | "SIGTERM")[], listener: (name: string) => void): () => void;
  /** Ends the process without waiting for anything. */
  exitAtOnce(code: number): void;
}

/** The process of a command, and what it prints. */
export interface CommandContext extends CommandProcess {
  out: Output;
}

/** Options of every command. */
export interface GlobalOptions {
  config?: string | undefined;
}

/** Options of a command that can print its result as JSON. */
export interface ResultOptions extends GlobalOptions {
  json?: true | undefined;
}

/** A command cannot do its work; the message says what to do. */
export class CommandError extends Error {
  readonly code = "command_failed";
  readonly exitCode: number;
  constructor(message: string, exitCode = 1, options?: { cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The work of a command: gets the context, the arguments and, last, the options; returns the exit code. */
type Work = (context: CommandContext, ...given: never[]) => Promise<number>;

/** The action of a command whose work is loaded when it runs. */
export type Does = (load: () => Promise<Work>) => (...given: unknown[]) => Promise<void>;

/** The exit codes of the command line; scripts rely on them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, limitReached: 3, stopped: 130 } as const;

/** The exit code of a turn. */
export const exitCodeOf: { readonly [outcome in TurnOutcome]: number } = {
  completed: exitCode.ok,
  failed: exitCode.failed,
  limit_reached: exitCode.limitReached,
  stopped: exitCode.stopped,
};

/** What a command prints. Results go to the standard output; with `--json` only JSON. */
export class Output {
  /** Whether colours are wanted: on a terminal, unless NO_COLOR is set (https://no-color.org). */
  readonly colours: boolean;
  readonly paint: Paint;
  readonly #stdout: ChatOutput;
  readonly #stderr: ChatOutput;

  constructor({ stdout, stderr, env }: Pick<CommandProcess, "stdout" | "stderr" | "env">) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colours = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
    this.paint = createPaint(this.colours);
  }

  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** One JSON value as one line. */
  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** A result: with `--json` as JSON, otherwise as lines. Returns the exit code. */
  result({ json }: ResultOptions, result: unknown, lines: () => Iterable<string>, ok = true): number {
    if (json) this.json(result);
    else for (const line of lines()) this.line(line);
    return ok ? exitCode.ok : exitCode.failed;
  }

  /** A line of progress, diagnostics or advice, on the standard error. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`);
  }
}
