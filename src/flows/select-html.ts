import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { errorText } from "../base/error-text.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";

export interface HtmlSelection {
  html: string;
  /** CSS. */
  selector: string;
}

/** Timeout for pages that are made to take long, ms. */
const timeoutMs = 10_000;

/**
 * The inner HTML of all matching elements, one per line; empty if there are none. Runs in a separate thread, because a page may be
 * made to take minutes or gigabytes.
 * @throws SkillFailure `selection_failed`; the signal's reason
 */
export async function selectHtml(selection: HtmlSelection, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL("./select-worker.ts", import.meta.url), {
    workerData: selection,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 16 },
  });
  // A worker may still fail between the abort and its end, when nothing waits for it.
  worker.on("error", () => undefined);
  try {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const [found] = await once(worker, "message", { signal: ends });
    return String(found);
  } catch (cause) {
    signal.throwIfAborted();
    throw new SkillFailure(
      "selection_failed",
      `The page could not be searched for ${selection.selector}.`,
      `Check that it is a CSS selector. (${errorText(cause)})`,
    );
  } finally {
    await worker.terminate();
  }
}
