import { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { ScriptOutcome } from "../core/code.ts";
import type { ScriptRequest } from "../core/scripts.ts";
import type { MountedFolder } from "../core/working-folder.ts";
import { CapturedOutput } from "../process/captured-output.ts";
import { exitStatus, groupEnd, killGroup, writeAndEnd } from "../process/process-group.ts";
import { startFailure, startProcess } from "./child-process.ts";
import type { Launch } from "./isolation.ts";
import type { MemoryWatch } from "./memory-watch.ts";

/** How often a script's memory is looked at, ms. */
const watchMs = 250;

/** How long after one look at a working folder the next one begins, ms. What is written meanwhile may exceed its quota. */
const folderMs = 500;

/** The part of a request that is about a running process. */
export type Supervision = Pick<
  ScriptRequest,
  "stdin" | "signal" | "timeout_ms" | "max_output_bytes" | "onLine" | "working"
>;

/**
 * Starts a process as the leader of a group, watches time, output and signal, and kills the whole group at the end,
 * however it came. Output is limited per stream, memory by `memory`. @throws the signal's reason
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
  const unwatch = memory?.watch(child.pid ?? 0, watchMs, (reason) => {
    note = reason;
    killGroup(child);
  });
  const unwatchFolder = watchFolder(request.working, (reason) => {
    note = `\n${reason}`;
    killGroup(child);
  });
  const abort = () => killGroup(child);
  request.signal.addEventListener("abort", abort);
  collect(child.stdout, stdout);
  collect(child.stderr, stderr);
  writeAndEnd(child.stdin, request.stdin);
  try {
    const ending = await ended;
    request.signal.throwIfAborted();
    if (!ending.started) return { status: "refused", reason: ending.reason };
    // What ends between two looks is told all the same.
    const full = note === "" ? await request.working?.exceeded().catch(() => undefined) : undefined;
    if (full !== undefined) note = `\n${full}`;
    const output = { stdout: stdout.text(), stderr: stderr.text() + note };
    if (timedOut) return { status: "timed_out", ...output };
    const truncated = stdout.truncated || stderr.truncated;
    return { status: "exited", exit_code: ending.code, ...output, truncated };
  } finally {
    clearTimeout(timer);
    unwatch?.();
    unwatchFolder();
    request.signal.removeEventListener("abort", abort);
  }
}

/** Looks again and again whether a run has filled its working folder. Answers a function that ends the watch. */
function watchFolder(working: MountedFolder | undefined, onFull: (reason: string) => void): () => void {
  if (working === undefined) return () => {};
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const look = async () => {
    // One that cannot be looked at is looked at again.
    const reason = await working.exceeded().catch(() => undefined);
    if (ended) return;
    if (reason !== undefined) return onFull(reason);
    timer = setTimeout(look, folderMs);
  };
  timer = setTimeout(look, folderMs);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

type Ending = { started: true; code: number } | { started: false; reason: string };

async function end(child: ChildProcess): Promise<Ending> {
  const failed = new Promise<Ending>((resolve) => {
    child.on("error", (error) => {
      if (child.pid === undefined) resolve({ started: false, reason: startFailure(error) });
    });
  });
  const ended = groupEnd(child).then((ending): Ending => ({ started: true, code: exitStatus(ending) }));
  return Promise.race([failed, ended]);
}

function collect(stream: Readable | null, output: CapturedOutput): void {
  stream?.on("data", (chunk: Uint8Array) => output.add(chunk));
  stream?.once("end", () => output.end());
}
