import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { errorText } from "../../base/error-text.ts";
import type { ProgramRequest, RunningProgram } from "../../core/skill/programs.ts";
import { groupEnd, killGroup, type ProcessEnd } from "../../process/process-group.ts";
import { watchFolder } from "../folder-watch.ts";
import type { SandboxLimits } from "../isolation.ts";
import type { MemoryWatch } from "../memory-watch.ts";
import {
  defaultLineLimits,
  LineBudget,
  type LineLimits,
  LineReader,
  type LineTrouble,
} from "./line-reader.ts";
import { parseMessage } from "./parse-message.ts";

/** What a program may leave unread of what it was sent, bytes. */
const unreadBytes = 67_108_864;

/** How often a program's memory and folder are looked at, ms. Many may be kept running at a time. */
const watchMs = 1_000;

/** The longest piece of text that is handed on, characters. */
const longestText = 2_000;

export interface WatchOptions extends Pick<ProgramRequest, "onMessage" | "onText" | "working"> {
  /** Memory of a process, for what is said when it runs out of it. */
  limits: Pick<SandboxLimits, "memoryBytes">;
  memory: MemoryWatch;
  lines?: LineLimits;
}

/** A running program and its end. */
export interface WatchedProgram extends RunningProgram {
  /** Ends it for a reason that is written for a person; the first reason stays. */
  stop(reason: string): void;
  /** Resolves with the reason when the process is gone and its output is read. After `kill` nothing is handed on. */
  ended: Promise<string>;
}

/** Speaks JSON lines with a process. Whatever it writes, it is read as it comes and costs the bot one line of memory. */
export function watchProgram(child: ChildProcess, options: WatchOptions): WatchedProgram {
  const { limits } = options;
  const lines = options.lines ?? defaultLineLimits;
  const budget = new LineBudget(lines, () => performance.now());
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    // Once it has ended, its id may be another process's.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  const text = (line: string) => options.onText?.(line.slice(0, longestText));
  const handOn = (line: string, deliver: (line: string) => void) => {
    if (stopped !== undefined || line.trim() === "") return;
    try {
      deliver(line);
    } catch (error) {
      stop(`What it wrote could not be used (${errorText(error)}).`);
    }
  };
  const message = (line: string) => {
    const value = parseMessage(line);
    if (value === undefined) text(line);
    else options.onMessage(value);
  };
  const listen = (stream: Readable | null, deliver: (line: string) => void) => {
    const reader = new LineReader(lines, budget, (line) => handOn(line, deliver));
    stream?.on("data", (chunk: Uint8Array) => {
      if (stopped !== undefined) return;
      const trouble = reader.add(chunk);
      if (trouble !== undefined) stop(troubleText(trouble, lines));
    });
    stream?.once("end", () => reader.end());
  };
  listen(child.stdout, message);
  listen(child.stderr, text);
  child.stdin?.on("error", () => undefined);
  const { pid = 0 } = child;
  const unwatch = options.memory.watch(pid, watchMs, stop);
  const unwatchFolder = watchFolder(pid, options.working, watchMs, stop);
  return {
    stop,
    kill: () => stop("It was stopped."),
    send(value) {
      const { stdin } = child;
      if (stopped !== undefined || stdin === null || !stdin.writable) return;
      stdin.write(`${JSON.stringify(value)}\n`);
      if (stdin.writableLength > unreadBytes) stop("It did not read what it was sent, and was stopped.");
    },
    ended: groupEnd(child).then((ending) => {
      unwatch();
      unwatchFolder();
      return stopped ?? endText(ending, limits.memoryBytes);
    }),
  };
}

function troubleText(trouble: LineTrouble, limits: LineLimits): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MB`;
  if (trouble === "line_too_long") {
    return `It wrote a line longer than ${megabytes(limits.lineBytes)}, and was stopped. Let it answer less at once.`;
  }
  return `It wrote more than ${megabytes(limits.bytes)} or ${limits.lines} lines within seconds, and was stopped.`;
}

/** Exit statuses of bubblewrap and shells: 128 and the number of the signal. */
const crashes: Readonly<Record<number, string>> = {
  132: "SIGILL",
  133: "SIGTRAP",
  134: "SIGABRT",
  137: "SIGKILL",
  139: "SIGSEGV",
};

function endText({ code, signal }: ProcessEnd, memoryBytes: number): string {
  const crash = signal ?? crashes[code ?? 0];
  if (crash !== undefined) {
    return `It crashed (${crash}), most likely because it needed more memory than the ${Math.round(memoryBytes / 1_048_576)} MB it may use.`;
  }
  return code === 0 ? "It ended by itself." : `It ended by itself, with the exit code ${code}.`;
}
