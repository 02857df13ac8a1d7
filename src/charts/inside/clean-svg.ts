import { DOMParser, parseHTML } from "linkedom";
import { ChartProblem } from "../draw-request.ts";
import { diagramFallbacks } from "./fonts.ts";

/** Elements allowed in a picture; of filters, everything that begins with `fe` except `feImage`. */
const drawing = new Set(
  `svg g defs symbol use title desc style switch a path rect circle ellipse line polyline polygon text tspan textPath marker
  linearGradient radialGradient stop pattern clipPath mask filter`.split(/\s+/),
);

/** Attributes with a prefix that drawing needs. */
const prefixed = new Set(["xlink:href", "xml:space"]);

const svgNamespace = "http://www.w3.org/2000/svg";
const xlinkNamespace = "http://www.w3.org/1999/xlink";

/** An SVG without active content and external references. @throws ChartProblem when it is not an SVG */
export function cleanSvg(source: string): { svg: string; notes: string[] } {
  const begin = source.search(/<svg[\s>]/i);
  if (begin < 0) throw new ChartProblem("That is no SVG: it has to begin with <svg …>.");
  if (/<!ENTITY/i.test(source)) throw new ChartProblem("Leave out the DOCTYPE and its entities.");
  const { svg, notes } = cleanedParts(withPlainEntities(source.slice(begin)));
  giveRoot(svg);
  return { svg: svg.toString(), notes };
}

/** The SVG of a chart, whose marks may have any text as colours and names. Cleaned if it may contain external references. */
export function cleanChart(source: string): { svg: string; notes: string[] } {
  if (!/\son\w+\s*=|href|<(?:script|image|foreignObject)/i.test(source) && !isForeign(source))
    return { svg: source, notes: [] };
  const { svg, notes } = cleanedParts(source);
  svg.setAttribute("xmlns", svgNamespace);
  return { svg: svg.toString(), notes };
}

function cleanedParts(source: string): { svg: SvgPart; notes: string[] } {
  const svg = new DOMParser().parseFromString(source, "image/svg+xml").documentElement as unknown as SvgPart;
  const removed = new Set<string>();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    if (!svg.contains(element)) continue;
    for (const part of cleaned(element, element === svg)) removed.add(part);
  }
  return { svg, notes: removed.size === 0 ? [] : [`Taken out: ${[...removed].join(", ")}.`] };
}

type SvgPart = ReturnType<typeof parseHTML>["document"]["documentElement"];

/** XML knows five named entities; models write those of HTML. */
function withPlainEntities(source: string): string {
  return source.replace(/&(?!(?:amp|lt|gt|quot|apos);)[a-z]\w*;/gi, (name) => {
    const { document } = parseHTML(`<html><body><p>${name}</p></body></html>`);
    return document.querySelector("p")?.textContent ?? name;
  });
}

/** Removes forbidden parts of an element, or the element itself; returns what was removed. */
function cleaned(element: SvgPart, isRoot: boolean): string[] {
  const { localName: name } = element;
  const isFilter = name.startsWith("fe") && name !== "feImage";
  if (!isRoot && !drawing.has(name) && !isFilter) {
    element.remove();
    return [withLostWords(element)];
  }
  return [...(name === "style" ? cleanedStyle(element) : []), ...cleanedAttributes(element)];
}

/** Text in HTML is removed with its element, which has to be reported. */
function withLostWords({ localName: name, textContent }: SvgPart): string {
  const words = (textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
  return words !== "" && /^foreignObject$/i.test(name) ? `${name} with “${words}” (use text)` : name;
}

function cleanedStyle(element: SvgPart): string[] {
  const css = cleanCss(element.textContent ?? "");
  if (css === undefined) {
    element.remove();
    return ["style"];
  }
  element.textContent = css.text;
  return css.isChanged ? ["@import or @font-face"] : [];
}

function cleanedAttributes(element: SvgPart): string[] {
  const isStrange = (name: string) => name.startsWith("xmlns") || (name.includes(":") && !prefixed.has(name));
  const unsafe = [...element.attributes].filter(({ name, value }) => isUnsafe(name.toLowerCase(), value));
  const strange = [...element.attributes].filter(({ name }) => isStrange(name));
  for (const { name } of [...unsafe, ...strange]) element.removeAttribute(name);
  return unsafe.map(({ name }) => name);
}

/** Styles without external parts; undefined if an external reference would remain. */
function cleanCss(css: string): { text: string; isChanged: boolean } | undefined {
  const plain = css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, "").replace(/<!--|-->/g, "");
  const text = plain
    .replace(/@import\s+(?:url\([^()]*\)|"[^"]*"|'[^']*')[^;]*;?/gi, "")
    .replace(/@font-face\s*\{[^{}]*\}/gi, "");
  return isForeign(text) ? undefined : { text, isChanged: text !== plain };
}

/** Whether a style loads something; escapes could hide that. */
function isForeign(css: string): boolean {
  return /\\|@import|image-set|src\s*\(|javascript:|url\(\s*['"]?(?!\s*['"]?#)/i.test(css);
}

/** Event handlers, and references to anything but parts of the SVG itself. */
function isUnsafe(name: string, value: string): boolean {
  if (name.startsWith("on")) return true;
  if (name === "href" || name === "xlink:href" || name === "src") return !value.trim().startsWith("#");
  return !name.startsWith("xmlns") && isForeign(value);
}

/** Completes the root of a picture: its namespaces, a font, and a size in its own units. */
function giveRoot(svg: SvgPart): void {
  svg.setAttribute("xmlns", svgNamespace);
  if (svg.toString().includes("xlink:")) svg.setAttribute("xmlns:xlink", xlinkNamespace);
  if (!svg.hasAttribute("font-family")) svg.setAttribute("font-family", diagramFallbacks);
  const [width, height] = [sizeOf(svg.getAttribute("width")), sizeOf(svg.getAttribute("height"))];
  if (!svg.hasAttribute("viewBox")) {
    if (width === undefined || height === undefined) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }
  svg.removeAttribute("width");
  svg.removeAttribute("height");
}

function sizeOf(text: string | null): number | undefined {
  const size = Number(/^\s*([\d.]+)(?:\s*px)?\s*$/.exec(text ?? "")?.[1]);
  return size > 0 ? size : undefined;
}
