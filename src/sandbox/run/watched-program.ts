import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { errorText } from "../../base/error-text.ts";
import { parseExactly } from "../../base/exact-number.ts";
import { isContainer } from "../../base/record.ts";
import type { ProgramRequest, RunningProgram } from "../../core/skill/programs.ts";
import type { Json } from "../../core/values/json.ts";
import { groupEnd, killGroup, type ProcessEnd } from "../../process/process-group.ts";
import { watchFolder } from "../folder-watch.ts";
import type { SandboxContext } from "../sandbox-context.ts";

/** Maximum unread input of a program, bytes. */
const unreadBytes = 67_108_864;

/** Interval between checks of a program's memory and folder, ms. Many programs may run at a time. */
const watchMs = 1_000;

/** Maximum piece of text that is passed on, characters. */
const maxText = 2_000;

/** A running program and its end. */
export interface WatchedProgram extends RunningProgram {
  /** Ends it with a reason for a person; the first reason stays. */
  stop(reason: string): void;
  /** Resolves with the reason when the process is gone and its output is read. After `kill` no more output is passed on. */
  ended: Promise<string>;
}

/** Exchanges JSON lines with a process. Its output is read as it arrives and takes at most one line of memory. */
export function watchProgram(
  child: ChildProcess,
  { onMessage, onText, working }: Pick<ProgramRequest, "onMessage" | "onText" | "working">,
  { limits, memory }: Pick<SandboxContext, "limits" | "memory">,
): WatchedProgram {
  const lines = defaultLineLimits;
  const budget = new LineBudget(lines, () => performance.now());
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    // After its end, its id may belong to another process.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  const text = (line: string) => onText?.(line.slice(0, maxText));
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
    else onMessage(value);
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
  const unwatch = memory.watch(pid, watchMs, stop);
  const unwatchFolder = watchFolder(pid, working, watchMs, stop);
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

/** Exit statuses of bubblewrap and shells: 128 plus the number of the signal. */
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

/** Deeper values are refused, because code that walks through them would overflow the stack. */
const maxDepth = 200;

/**
 * The JSON value of a line a program wrote, or undefined for anything else. Keys named `__proto__` are dropped: copying them into another
 * object would replace that object's prototype.
 */
export function parseMessage(line: string): Json | undefined {
  let value: Json;
  try {
    value = parseExactly(line) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const pending: { value: Json; depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isContainer(next.value)) continue;
    if (next.depth >= maxDepth) return undefined;
    Reflect.deleteProperty(next.value, "__proto__");
    for (const inner of Object.values(next.value)) pending.push({ value: inner, depth: next.depth + 1 });
  }
  return value;
}

/** Why the output of a program is no longer read. */
type LineTrouble = "line_too_long" | "flood";

interface LineLimits {
  /** Maximum of one line, bytes. */
  lineBytes: number;
  /** Maximum burst; a tenth of it is regained per second. */
  bytes: number;
  lines: number;
}

/** Enough for the output of a careless skill, and far less than would block the bot or fill its memory. */
const defaultLineLimits: LineLimits = { lineBytes: 8_388_608, bytes: 67_108_864, lines: 50_000 };

/** The amount that is still allowed at the moment, shared by the streams of one program. */
export class LineBudget {
  readonly #limits: LineLimits;
  readonly #now: () => number;
  #bytes: number;
  #lines: number;
  #at: number;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(limits: LineLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#bytes = limits.bytes;
    this.#lines = limits.lines;
    this.#at = now();
  }

  /** Whether this much is within the limits; if so, it is used up. */
  take(bytes: number, lines: number): boolean {
    const now = this.#now();
    const share = (now - this.#at) / 10_000;
    this.#at = now;
    this.#bytes = Math.min(this.#limits.bytes, this.#bytes + share * this.#limits.bytes) - bytes;
    this.#lines = Math.min(this.#limits.lines, this.#lines + share * this.#limits.lines) - lines;
    return this.#bytes >= 0 && this.#lines >= 0;
  }
}

/** Splits a stream of bytes into lines of UTF-8, and holds at most one unfinished line. */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #budget: LineBudget;
  readonly #onLine: (line: string) => void;
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(limits: LineLimits, budget: LineBudget, onLine: (line: string) => void) {
    this.#limits = limits;
    this.#budget = budget;
    this.#onLine = onLine;
  }

  /** Passes on the lines that are complete now. A line over a limit is dropped, together with everything after it. */
  add(chunk: Uint8Array): LineTrouble | undefined {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const trouble = this.#keep(chunk.subarray(from, end), 1);
      if (trouble !== undefined) return trouble;
      this.#pass();
      from = end + 1;
    }
    return this.#keep(chunk.subarray(from), 0);
  }

  /** Passes on a last line without a line break. */
  end(): void {
    if (this.#size > 0) this.#pass();
  }

  #keep(bytes: Uint8Array, lines: number): LineTrouble | undefined {
    this.#size += bytes.byteLength;
    if (this.#size > this.#limits.lineBytes) return "line_too_long";
    if (!this.#budget.take(bytes.byteLength, lines)) return "flood";
    // A copy: a small rest must not keep the stream's whole buffer alive.
    if (bytes.byteLength > 0) this.#parts.push(lines === 0 ? Uint8Array.from(bytes) : bytes);
    return undefined;
  }

  #pass(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#size = 0;
    this.#onLine(line);
  }
}
