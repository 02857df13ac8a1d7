/**
 * The inside of a sealed process. Its main thread only watches: it ends the process when the bot is gone or too much memory is used, while
 * a thread does the work that may be slow, endless or large.
 */
import { Worker } from "node:worker_threads";
import { endOfAnswer, outOfMemory } from "./sealed-process.ts";

/** Interval between checks of the memory, ms: some 50 MB can be filled in between. */
const lookEveryMs = 25;
/** The part of the memory limit that is left for JavaScript's objects. */
const heapShare = 0.6;

/**
 * Runs a module as the thread: it gets the request as `workerData`, and posts its answer as one text.
 * @param memoryBytes resident memory of the whole process
 */
export function runThread(module: URL, request: unknown, memoryBytes: number): void {
  const thread = new Worker(module, {
    workerData: request,
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: Math.floor((memoryBytes * heapShare) / 1_000_000),
      stackSizeMb: 16,
    },
  });
  thread.on("message", (found: string) => answer(found));
  thread.on("error", (error: Error & { code?: string }) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") answer(outOfMemory);
    else end();
  });
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytes) answer(outOfMemory);
  }, lookEveryMs);
  // The input ends with the bot.
  process.stdin.on("close", () => end());
  process.stdin.resume();
}

/** The first line of the process's input, which stays open. */
export function firstLine(): Promise<string> {
  const parts: string[] = [];
  process.stdin.setEncoding("utf8");
  return new Promise((resolve) => {
    const take = (part: string) => {
      const end = part.indexOf("\n");
      parts.push(end < 0 ? part : part.slice(0, end));
      if (end < 0) return;
      process.stdin.off("data", take);
      resolve(parts.join(""));
    };
    process.stdin.on("data", take);
    process.stdin.on("close", () => end());
  });
}

function answer(text: string): void {
  process.stdout.end(`${text}${endOfAnswer}`, end);
}

/** Immediately, whatever the thread is doing. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
