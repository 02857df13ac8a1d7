/** The entry of the worker: posts the inner HTML of the elements that match a selector; `workerData` has page and selector. */
import { parentPort, workerData } from "node:worker_threads";
import { parseHTML } from "linkedom";
import type { HtmlSelection } from "./select-html.ts";

const { html, selector } = workerData as HtmlSelection;
/** linkedom only finds all elements if the text has an html element. */
const whole = /<html[\s>]/i.test(html)
  ? html
  : `<!doctype html><html><head></head><body>${html}</body></html>`;
/** The needed part of a document: the project has no DOM types. */
const { document } = parseHTML(whole) as unknown as {
  document: { querySelectorAll(selector: string): Iterable<{ innerHTML: string }> };
};
const found = Array.from(document.querySelectorAll(selector), (element) => element.innerHTML);
parentPort?.postMessage(found.join("\n"));
