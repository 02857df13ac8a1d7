/** A process that handles untrusted data: with an empty environment, limits, and no right to write, to start processes or to read. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CapturedOutput } from "./captured-output.ts";
import { groupEnd, killGroup, spawnGroup } from "./process-group.ts";

/** Answer of a process that needs more memory than it may use. */
export const outOfMemory = "out of memory";

/** Marks the end of an answer; without it the process was killed in the middle. */
export const endOfAnswer = "\n";

export interface SealedRun {
  /** The module it begins with; `runThread` (`sealed-thread.ts`) does its work. */
  entry: URL;
  /** Its request, JSON, as the first line of its input (`firstLine`). */
  request: string;
  /** Its whole environment; default: empty. */
  env?: Readonly<Record<string, string>>;
  /** A file that it may read, as its descriptor 3. */
  descriptor?: number;
  /** From its start to its answer, ms. */
  timeoutMs: number;
  /** Maximum bytes of an answer. */
  maxAnswerBytes: number;
}

/** Its answer, or why there is none. */
export type SealedEnd = { answer: string } | { failed: "late" | "memory" | "crashed" };

/** Runs such a process to its end. The process has ended when this settles. @throws the signal's reason */
export async function runSealed(run: SealedRun, signal: AbortSignal): Promise<SealedEnd> {
  signal.throwIfAborted();
  const late = AbortSignal.timeout(run.timeoutMs);
  const child = start(run);
  if (child === undefined) return { failed: "crashed" };
  const stop = () => killGroup(child);
  const ends = AbortSignal.any([signal, late]);
  ends.addEventListener("abort", stop, { once: true });
  // The end of the process reports that it was not started.
  child.on("error", () => undefined);
  const output = new CapturedOutput(run.maxAnswerBytes);
  child.stdout?.on("data", (chunk: Buffer) => output.add(chunk));
  // Its input stays open: the process ends with it.
  child.stdin?.on("error", () => undefined);
  child.stdin?.write(`${run.request}\n`);
  await groupEnd(child);
  ends.removeEventListener("abort", stop);
  signal.throwIfAborted();
  const text = output.text();
  if (output.truncated || !text.endsWith(endOfAnswer)) return { failed: late.aborted ? "late" : "crashed" };
  const answer = text.slice(0, -endOfAnswer.length);
  return answer === outOfMemory ? { failed: "memory" } : { answer };
}

function start({ entry, descriptor, env = {} }: SealedRun) {
  const readable = readableFolders().map((folder) => `--allow-fs-read=${folder}/*`);
  const args = ["--permission", "--allow-worker", ...readable, "--no-warnings", fileURLToPath(entry)];
  const files = descriptor === undefined ? [] : [descriptor];
  try {
    return spawnGroup(process.execPath, args, {
      env: { ...env },
      stdio: ["pipe", "pipe", "ignore", ...files],
    });
  } catch {
    return undefined;
  }
}

/** The bot's code, as sources or built, and its libraries, wherever they are installed. */
function readableFolders(): string[] {
  const source = fileURLToPath(new URL("..", import.meta.url));
  const library = fileURLToPath(import.meta.resolve("zod"));
  const marker = `${path.sep}node_modules${path.sep}`;
  const libraries = library.slice(0, library.lastIndexOf(marker) + marker.length);
  return [source, path.join(source, "../.build"), libraries, path.join(source, "../node_modules")]
    .map((folder) => path.resolve(folder))
    .filter(existsSync);
}
