/** Child processes that lead a group of their own, so that everything they start ends with them. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { errorCode } from "../base/error-text.ts";
import type { Timer } from "../base/time-limit.ts";

/** Maximum wait for output after the end of a process, when a descendant still holds the pipe, ms. */
const lingerMs = 500;

/** How a process ended: `code` is null if a signal ended it. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Starts a process as the leader of a group. Ctrl+C in the bot's terminal does not reach it. `spawn` throws some failures (E2BIG) and emits
 * others (ENOENT, as `error`). `env` is the whole environment: none of the bot's own is passed on.
 */
export function spawnGroup(
  file: string,
  args: readonly string[],
  options: { env: Readonly<Record<string, string>> } & Pick<SpawnOptions, "cwd" | "stdio">,
): ChildProcess {
  return spawn(file, args, { ...options, detached: true });
}

/** Kills a process and everything in its group, immediately. Does nothing if it has not started or all of it has ended. */
export function killGroup({ pid }: Pick<ChildProcess, "pid">): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    const code = errorCode(error);
    // ESRCH: everything has ended. EPERM: the rest of the group is only a zombie (macOS), or its number now belongs to another.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/**
 * Resolves when a process is gone and its output is read. Processes left in its group are killed as soon as it has exited, and pipes that
 * are still held half a second later are closed. Also resolves for a process that was not started.
 */
export function groupEnd(child: ChildProcess): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  let linger: NodeJS.Timeout | undefined;
  child.once("exit", () => {
    killGroup(child);
    linger = setTimeout(() => {
      for (const stream of child.stdio.slice(1)) stream?.destroy();
    }, lingerMs);
  });
  child.once("close", (code, signal) => {
    clearTimeout(linger);
    child.stdin?.destroy();
    resolve({ code, signal });
  });
  return promise;
}

/** Closes the input of a process, which asks it to end, and kills its group after `graceMs`. Resolves when it is gone. */
export async function endGroup(child: ChildProcess, graceMs: number, timer: Timer): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  child.once("close", () => resolve());
  child.stdin?.end();
  const cancel = timer.after(graceMs, () => killGroup(child));
  await closed;
  cancel();
}

/** Writes text to a process that may have ended without reading it (EPIPE); its exit reports how it ended. */
export function writeAndEnd(stream: Writable | null | undefined, text: string | Uint8Array): void {
  stream?.on("error", () => undefined);
  stream?.end(text);
}

/** A shell's exit status: 128 plus the number of the signal that ended the process. */
export function exitStatus({ code, signal }: ProcessEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
