import { parseHTML } from "linkedom";
import { ChartProblem } from "./chart-problem.ts";
import { fontFallbacks } from "./fonts.ts";

/** What can act, or shows what comes from elsewhere. */
const forbidden = new Set([
  "script",
  "foreignobject",
  "iframe",
  "object",
  "embed",
  "audio",
  "video",
  "handler",
  "set",
  "animate",
]);

/** An SVG without what is active in it, or leads elsewhere. @throws ChartProblem when it is none */
export function cleanSvg(source: string): { svg: string; notes: string[] } {
  const begin = source.search(/<svg[\s>]/i);
  if (begin < 0) throw new ChartProblem("That is no SVG: it has to begin with <svg …>.");
  if (/<!ENTITY/i.test(source)) throw new ChartProblem("Leave out the DOCTYPE and its entities.");
  const { document } = parseHTML(`<html><body>${source.slice(begin)}</body></html>`);
  const svg = document.querySelector("svg");
  if (svg === null) throw new ChartProblem("That is no SVG: it has to begin with <svg …>.");
  const removed = new Set<string>();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const part of cleaned(element)) removed.add(part);
  }
  if (!svg.hasAttribute("xmlns")) svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  if (!svg.hasAttribute("font-family")) svg.setAttribute("font-family", fontFallbacks);
  const notes = removed.size === 0 ? [] : [`Taken out: ${[...removed].join(", ")}.`];
  return { svg: svg.toString(), notes };
}

type SvgPart = ReturnType<typeof parseHTML>["document"]["documentElement"];

/** Takes out of an element what may not stay, or the element itself; answers what that was. */
function cleaned(element: SvgPart): string[] {
  const name = element.localName.toLowerCase();
  const isForeignStyle = name === "style" && /@import|url\(\s*['"]?(?!#)/i.test(element.textContent ?? "");
  if (forbidden.has(name) || isForeignStyle) {
    element.remove();
    return [name];
  }
  const unsafe = [...element.attributes].filter((each) => isUnsafe(each.name.toLowerCase(), each.value));
  for (const each of unsafe) element.removeAttribute(each.name);
  return unsafe.map((each) => each.name);
}

/** Handlers, and references to anything but parts of the SVG itself. */
function isUnsafe(name: string, value: string): boolean {
  if (name.startsWith("on")) return true;
  if (name === "href" || name === "xlink:href" || name === "src") return !value.trim().startsWith("#");
  return /url\(\s*['"]?(?!\s*#)/i.test(value) || /javascript:/i.test(value);
}
