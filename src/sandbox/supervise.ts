import { ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ScriptOutcome, ScriptRequest } from "../core/scripts.ts";
import { CapturedOutput } from "./captured-output.ts";
import type { Launch } from "./isolation.ts";

/** How long output is awaited after the script's end, when something it started holds the pipe, ms. */
const lingerMs = 500;

/** The part of a request that is about a running process. */
export type Supervision = Pick<
  ScriptRequest,
  "stdin" | "signal" | "timeout_ms" | "max_output_bytes" | "onLine"
>;

/**
 * Starts a process as the leader of a group, watches time, output and signal, and kills the whole group at the end,
 * however it came. Output is limited per stream. @throws the signal's reason
 */
export async function supervise(launch: Launch, request: Supervision): Promise<ScriptOutcome> {
  const stdout = new CapturedOutput(request.max_output_bytes, request.onLine);
  const stderr = new CapturedOutput(request.max_output_bytes, request.onLine);
  const child = start(launch);
  if (!(child instanceof ChildProcess)) return { status: "refused", reason: child.reason };
  const ended = end(child);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, request.timeout_ms);
  const abort = () => killGroup(child);
  request.signal.addEventListener("abort", abort);
  collect(child.stdout, stdout);
  collect(child.stderr, stderr);
  write(child.stdio[3] as Writable | null, launch.privateInput ?? "");
  write(child.stdin, request.stdin);
  try {
    const ending = await ended;
    request.signal.throwIfAborted();
    if (!ending.started) return { status: "refused", reason: ending.reason };
    const output = { stdout: stdout.text(), stderr: stderr.text() };
    if (timedOut) return { status: "timed_out", ...output };
    const truncated = stdout.truncated || stderr.truncated;
    return { status: "exited", exit_code: ending.code, ...output, truncated };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", abort);
  }
}

/** `spawn` throws some failures (E2BIG) and emits others (ENOENT); both are answered as values. */
function start(launch: Launch): ChildProcess | { reason: string } {
  try {
    return spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe", launch.privateInput === undefined ? "ignore" : "pipe"],
    });
  } catch (error) {
    if (error instanceof Error && "code" in error) return { reason: startFailure(error) };
    throw error;
  }
}

type Ending = { started: true; code: number } | { started: false; reason: string };

function end(child: ChildProcess): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  let linger: NodeJS.Timeout | undefined;
  child.once("error", (error) => {
    if (child.pid === undefined) resolve({ started: false, reason: startFailure(error) });
  });
  child.once("exit", () => {
    killGroup(child);
    linger = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, lingerMs);
  });
  child.once("close", (code, signal) => {
    clearTimeout(linger);
    if (child.pid === undefined) return;
    resolve({ started: true, code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) });
  });
  return promise;
}

function startFailure(error: Error & { code?: unknown }): string {
  if (error.code === "E2BIG") {
    return "The script was not started: its arguments are too long. Pass long input through its standard input.";
  }
  return `The script was not started (${String(error.code ?? error.message)}). Try again; if it stays, run "knack doctor".`;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // ESRCH: everything has ended. EPERM: what is left of the group is only a zombie (macOS).
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

function collect(stream: Readable | null, output: CapturedOutput): void {
  stream?.on("data", (chunk: Uint8Array) => output.add(chunk));
  stream?.once("end", () => output.end());
}

function write(stream: Writable | null | undefined, text: string): void {
  // A script may end without reading its input (EPIPE); how it ended is told by its exit.
  stream?.on("error", () => undefined);
  stream?.end(text);
}
