/** The worker's entry: posts the inner HTML of what a selector finds in a page, both given as `workerData`. */
import { parentPort, workerData } from "node:worker_threads";
import { parseHTML } from "linkedom";
import type { HtmlSelection } from "./select-html.ts";

const { html, selector } = workerData as HtmlSelection;
/** linkedom finds everything only where the text has an html element. */
const whole = /<html[\s>]/i.test(html)
  ? html
  : `<!doctype html><html><head></head><body>${html}</body></html>`;
/** As far as it is needed here: the project has no DOM library types. */
const { document } = parseHTML(whole) as unknown as {
  document: { querySelectorAll(selector: string): Iterable<{ innerHTML: string }> };
};
const found = Array.from(document.querySelectorAll(selector), (element) => element.innerHTML);
parentPort?.postMessage(found.join("\n"));
