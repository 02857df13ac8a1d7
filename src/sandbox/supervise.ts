import { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { ScriptOutcome } from "../core/ports/work-context.ts";
import type { ScriptRequest } from "../core/skill/programs.ts";
import { CapturedOutput } from "../process/captured-output.ts";
import { exitStatus, groupEnd, killGroup, writeAndEnd } from "../process/process-group.ts";
import { startFailure, startProcess } from "./child-process.ts";
import { watchFolder } from "./folder-watch.ts";
import type { Launch } from "./isolation.ts";
import type { MemoryWatch } from "./memory-watch.ts";

/** Interval between checks of a script's memory, ms. */
const watchMs = 250;

/** Pause between two checks of a working folder, ms. Files written meanwhile may exceed its quota. */
const folderMs = 200;

/** Maximum output of code, bytes. Part of it is kept; reading more would take time that others need. */
const maxPrinted = 8_388_608;
const printedTooMuch =
  "It printed more than 8 MB and was stopped. Let it print less, or write to a file what is long.";

/** The part of a request that concerns a running process. */
export type Supervision = Pick<
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
    if (!ending.started) return { status: "refused", reason: ending.reason };
    // Also reports an excess at the end, between two checks.
    note ||= (await request.working?.exceeded().catch(() => undefined)) ?? "";
    const output = { stdout: stdout.text(), stderr: withNote(stderr.text(), note) };
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

/** On a line of its own. */
function withNote(text: string, note: string): string {
  return note === "" || text === "" || text.endsWith("\n") ? text + note : `${text}\n${note}`;
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
