import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { withoutInvisible } from "../base/invisible-text.ts";
import type { ReadablePage } from "../html/readable-page.ts";

export interface PageRequest {
  html: string;
  url: string;
}

/**
 * The readable text of a page, found in a thread of its own: a page made to take minutes or gigabytes costs `timeoutMs`
 * at most and never holds up the bot. Where that fails, the page's text without its markup.
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
    return { title: "", text: strippedText(page.html) };
  } finally {
    await worker.terminate();
  }
}

/** A page's text by removing markup alone; every expression runs in linear time. */
function strippedText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    parts.push(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    at = afterMarkup(html, open);
  }
  return withoutInvisible(parts.join(" ")).replace(/\s+/g, " ").trim();
}

/** The position after the tag, comment, script or style that begins at `open`. */
function afterMarkup(html: string, open: number): number {
  const raw = /^<(script|style|!--)/i.exec(html.slice(open, open + 8))?.[1]?.toLowerCase();
  const end = raw === undefined ? ">" : raw === "!--" ? "-->" : `</${raw}`;
  const found = indexOfInsensitive(html, end, open + 1);
  if (found < 0) return html.length;
  if (raw === undefined || raw === "!--") return found + end.length;
  const close = html.indexOf(">", found);
  return close < 0 ? html.length : close + 1;
}

function indexOfInsensitive(html: string, end: string, from: number): number {
  if (!end.startsWith("</")) return html.indexOf(end, from);
  const lower = html.indexOf(end, from);
  const upper = html.indexOf(end.toUpperCase(), from);
  return lower < 0 || (upper >= 0 && upper < lower) ? upper : lower;
}
