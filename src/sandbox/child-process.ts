import { ChildProcess, type StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { ScriptOutcome } from "../core/ports/work-means.ts";
import type { ScriptRequest } from "../core/skill/programs.ts";
import { CapturedOutput } from "../process/captured-output.ts";
import { exitStatus, groupEnd, killGroup, spawnGroup, writeAndEnd } from "../process/process-group.ts";
import { watchFolder } from "./folder-watch.ts";
import type { Launch } from "./isolation.ts";
import type { MemoryWatch } from "./memory-watch.ts";

/** A process was not started. `reason` is the code of the operating system. */
export interface StartFailure {
  reason: string;
}

/**
 * Starts a process as the leader of a group, with pipes to all its streams, and sends it its private input. It gets no other file
 * descriptor of the bot. `spawn` throws some failures (E2BIG) and emits others (ENOENT, as `error`); thrown ones are returned as values.
 */
export function startProcess(launch: Launch): ChildProcess | StartFailure {
  const nothing = openSync("/dev/null", "r");
  try {
    const { file, args, cwd, env } = launch;
    const child = spawnGroup(file, args, { cwd, env, stdio: streams(launch, nothing) });
    writeAndEnd(child.stdio[3] as Writable | null | undefined, launch.privateInput ?? "");
    const opened: readonly unknown[] = child.stdio;
    writeAndEnd(opened[5] as Writable | null | undefined, launch.filter ?? "");
    return child;
  } catch (error) {
    if (error instanceof Error && "code" in error) return { reason: startFailure(error) };
    throw error;
  } finally {
    closeSync(nothing);
  }
}

/** The descriptors of a process. `spawn` leaves a descriptor that the bot inherited open unless another one takes its number. */
function streams(launch: Launch, nothing: number): StdioOptions {
  const taken: ("pipe" | number | undefined)[] = ["pipe", "pipe", "pipe"];
  for (const descriptor of inheritedDescriptors()) taken[descriptor] ??= nothing;
  if (launch.privateInput !== undefined) taken[3] = "pipe";
  if (launch.filter !== undefined) taken[5] = "pipe";
  return Array.from(taken, (each) => each ?? "ignore");
}

const closeOnExec = 0o2000000;

/**
 * Descriptors that the bot inherited from its parent (open(2), O_CLOEXEC): Node itself opens none that a child gets. Empty without /proc.
 */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  } catch {
    // Not Linux.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = "0"] =
      /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return descriptor > 2 && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the list itself.
    return false;
  }
}

/** Why a process was not started, for a person. */
export function startFailure(error: Error & { code?: unknown }): string {
  if (error.code === "E2BIG") {
    return "The script was not started: its arguments are too long. Pass long input through its standard input.";
  }
  return `The script was not started (${String(error.code ?? error.message)}). Try again; if it stays, run "knack doctor".`;
}

/** Why the operating system cannot pass a value to a process as a variable, in words for a person. */
export function malformedEnvironment(env: Readonly<Record<string, string>>): string | undefined {
  const bad = Object.entries(env).find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
  return (
    bad && `The environment variable ${JSON.stringify(bad[0])} has a name or value that cannot be passed on.`
  );
}

/** Interval between checks of a script's memory, ms. */
const watchMs = 250;

/** Pause between two checks of a working folder, ms. Files written meanwhile may exceed its quota. */
const folderMs = 200;

/** Maximum output of code, bytes. Part of it is kept; reading more would take time that others need. */
const maxPrinted = 8_388_608;
const printedTooMuch =
  "It printed more than 8 MB and was stopped. Let it print less, or write to a file what is long.";

/** The part of a request that concerns a running process. */
type Supervision = Pick<
  ScriptRequest,
  "stdin" | "signal" | "timeout_ms" | "max_output_bytes" | "onLine" | "working"
>;

/**
 * Starts a process as the leader of a group, watches time, output and signal, and finally kills the whole group, however it ended. Output
 * is limited per stream, memory by `memory`. @throws the signal's reason
 */
export async function supervise(
  launch: Launch,
  request: Supervision,
  memory?: MemoryWatch,
): Promise<ScriptOutcome> {
  const stdout = new CapturedOutput(request.max_output_bytes, request.onLine);
  const stderr = new CapturedOutput(request.max_output_bytes, request.onLine);
  const child = startProcess(launch);
  if (!(child instanceof ChildProcess)) return { status: "refused", reason: child.reason };
  const ended = end(child);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, request.timeout_ms);
  let note = "";
  const stop = (reason: string) => {
    if (note !== "") return;
    note = reason;
    killGroup(child);
  };
  const { pid = 0 } = child;
  const unwatch = memory?.watch(pid, watchMs, stop);
  const unwatchFolder = watchFolder(pid, request.working, folderMs, stop);
  const abort = () => killGroup(child);
  request.signal.addEventListener("abort", abort);
  let printed = 0;
  const collect = (stream: Readable | null, output: CapturedOutput) => {
    stream?.on("data", (chunk: Uint8Array) => {
      output.add(chunk);
      printed += chunk.byteLength;
      if (printed > maxPrinted) stop(printedTooMuch);
    });
    stream?.once("end", () => output.end());
  };
  collect(child.stdout, stdout);
  collect(child.stderr, stderr);
  writeAndEnd(child.stdin, request.stdin);
  try {
    const ending = await ended;
    request.signal.throwIfAborted();
    if (typeof ending !== "number") return { status: "refused", reason: ending.reason };
    // Also reports an excess at the end, between two checks.
    note ||= (await request.working?.exceeded().catch(() => undefined)) ?? "";
    const output = { stdout: stdout.text(), stderr: withNote(stderr.text(), note) };
    if (timedOut) return { status: "timed_out", ...output };
    const truncated = stdout.truncated || stderr.truncated;
    return { status: "exited", exit_code: ending, ...output, truncated };
  } finally {
    clearTimeout(timer);
    unwatch?.();
    unwatchFolder();
    request.signal.removeEventListener("abort", abort);
  }
}

/** On a line of its own. */
function withNote(text: string, note: string): string {
  return note === "" || text === "" || text.endsWith("\n") ? text + note : `${text}\n${note}`;
}

/** The exit status of a process, or why it was not started. */
function end(child: ChildProcess): Promise<number | StartFailure> {
  const failed = new Promise<StartFailure>((resolve) => {
    child.on("error", (error) => {
      if (child.pid === undefined) resolve({ reason: startFailure(error) });
    });
  });
  return Promise.race([failed, groupEnd(child).then(exitStatus)]);
}
