import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type ReadablePage, strippedText } from "../html/readable-page.ts";

export interface PageRequest {
  html: string;
  url: string;
}

/**
 * The readable text of a page, extracted in a thread of its own: a page made to take minutes or gigabytes costs at most `timeoutMs` and
 * never blocks the bot. If that fails, the page's text without its markup.
 * @throws the signal's reason
 */
export async function extractPage(
  page: PageRequest,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ReadablePage> {
  const limit = AbortSignal.timeout(timeoutMs);
  const worker = new Worker(new URL("./page-worker.ts", import.meta.url), {
    workerData: page,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 16 },
  });
  // A worker may still fail between the abort and its end, when nobody waits for it any more.
  worker.on("error", () => undefined);
  try {
    const ends = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    // `once` rejects on the worker's `error`: out of memory, stack overflow, a parser's bug, the time limit.
    const [found] = await once(worker, "message", { signal: ends });
    return found as ReadablePage;
  } catch {
    signal?.throwIfAborted();
    return { title: "", text: strippedText(page.html), isArticle: false };
  } finally {
    await worker.terminate();
  }
}
