/**
 * The reading process. Its main thread only watches: it ends the process when the bot is gone or too much memory is used, while a
 * thread reads what hostile files make slow, endless or large. Asked by its argument, it answers on its output.
 */
import { Worker } from "node:worker_threads";
import { endOfAnswer, outOfMemory, type ReadRequest } from "../read-limits.ts";

/** How often the memory is looked at, ms: some 50 MB can be filled in between. */
const lookEveryMs = 25;
/** What the limit on all memory leaves to JavaScript's objects. */
const heapShare = 0.6;

const request = JSON.parse(process.argv[2] ?? "") as ReadRequest;
const { memoryBytes } = request.limits;
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
setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytes) answer(outOfMemory);
}, lookEveryMs);
// The input ends with the bot.
process.stdin.on("close", () => end());
process.stdin.resume();

function answer(text: string): void {
  process.stdout.end(`${text}${endOfAnswer}`, end);
}

/** At once, whatever the thread is doing. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
