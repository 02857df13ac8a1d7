/**
 * The reading process. Its main thread only watches: it ends the process when the bot is gone or too much memory is used, while a
 * thread reads what hostile files make slow, endless or large. Asked by one line on its input, it answers on its output.
 */
import { Worker } from "node:worker_threads";
import { outOfMemory, type ReadRequest } from "../read-limits.ts";

/** How often the memory is looked at, ms: inflating fills at most some 50 MB in between. */
const lookEveryMs = 25;
/** Megabytes of objects, in the limit on all memory. */
const heapShare = 0.6;

let asked = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const wasAsked = asked.includes("\n");
  asked += text;
  if (!wasAsked && asked.includes("\n")) read(JSON.parse(asked) as ReadRequest);
});
// Input ends with the bot.
process.stdin.on("close", () => end());

function read(request: ReadRequest): void {
  const { memoryBytes } = request.limits;
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytes) answer(outOfMemory);
  }, lookEveryMs);
  const thread = new Worker(new URL("./reader-thread.ts", import.meta.url), {
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
}

function answer(text: string): void {
  process.stdout.end(text, end);
}

/** At once, whatever the thread is doing. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
