import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Launch } from "./isolation.ts";

/** A process was not started. `reason` is the code of the operating system. */
export interface StartFailure {
  reason: string;
}

/**
 * Starts a process as the leader of a group, with pipes to all its streams, and hands it its private input. `spawn`
 * throws some failures (E2BIG) and emits others (ENOENT, as `error`); the first are answered as values.
 */
export function startProcess(launch: Launch): ChildProcess | StartFailure {
  try {
    const child = spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      detached: true,
      stdio: [
        ...["pipe" as const, "pipe" as const, "pipe" as const],
        launch.privateInput === undefined ? "ignore" : "pipe",
        launch.handsOutFiles === true ? "pipe" : "ignore",
        launch.filter === undefined ? "ignore" : "pipe",
      ],
    });
    writeAndEnd(child.stdio[3] as Writable | null | undefined, launch.privateInput ?? "");
    const streams: readonly unknown[] = child.stdio;
    writeAndEnd(streams[5] as Writable | null | undefined, launch.filter ?? "");
    return child;
  } catch (error) {
    if (error instanceof Error && "code" in error) return { reason: startFailure(error) };
    throw error;
  }
}

/** Why a process was not started, for a person. */
export function startFailure(error: Error & { code?: unknown }): string {
  if (error.code === "E2BIG") {
    return "The script was not started: its arguments are too long. Pass long input through its standard input.";
  }
  return `The script was not started (${String(error.code ?? error.message)}). Try again; if it stays, run "knack doctor".`;
}

/** Kills a process and its group. In bubblewrap everything inside ends with it. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // ESRCH: everything has ended. EPERM: what is left of the group is only a zombie (macOS).
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Writes text to a process that may have ended without reading it (EPIPE); how it ended is told by its exit. */
export function writeAndEnd(stream: Writable | null | undefined, text: string | Uint8Array): void {
  stream?.on("error", () => undefined);
  stream?.end(text);
}

/** What is said when all processes of a run together use too much memory. */
export function memoryText(totalMemoryBytes: number): string {
  const megabytes = Math.round(totalMemoryBytes / 1_048_576);
  return `Its processes together needed more memory than the ${megabytes} MB they may use, and were stopped.`;
}

/** A shell's exit status: 128 and the signal's number for what a signal ended. */
export function exitStatus(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
