import type TurndownService from "turndown";
import { withoutInvisible } from "../base/invisible-text.ts";

/** What a reader gets of an HTML page. */
export interface ReadablePage {
  title: string;
  /** Markdown, whole. */
  text: string;
}

/** Above this many elements looking for the article takes too long; the whole body is converted instead. */
const maxElements = 30_000;
/** Levels of elements; of a page with more the text is read without its markup. Some steps take time in proportion to size and depth. */
const deepest = 200;
/** Characters. */
const minArticle = 250;
const unread =
  "title, script, style, noscript, template, iframe, object, embed, canvas, svg, dialog, link, meta, select, input, textarea, button, [hidden], [aria-hidden='true']";
const hiddenStyle =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;

/**
 * The readable text of an HTML page: the article where one is found, otherwise the whole body, without what a person
 * would not see. Slow for large pages; meant to run in a worker.
 */
export async function readablePage(html: string, url: string): Promise<ReadablePage> {
  const { Readability } = await import("@mozilla/readability");
  if (await isTooDeep(html)) return { title: "", text: strippedText(html) };
  const turndown = await createMarkdownConverter();
  const markdown = (element: PageElement) => tidy(turndown.turndown(element as never));
  const document = await parsePage(html);
  const title = titleOf(document);
  dropUnseen(document);
  completeLinks(document, url);
  const body = markdown(document.body);
  const searchable = document.querySelectorAll("*").length <= maxElements;
  // Readability takes the document apart: the body has been read before.
  const article = searchable
    ? new Readability(document as never, { charThreshold: minArticle, keepClasses: true }).parse()
    : null;
  const text = article?.content ? markdown((await parsePage(article.content)).body) : "";
  // A short "article" is a teaser or a cookie notice: the whole body says more.
  const chosen = text.length >= minArticle ? text : body;
  return { title: oneLine(title || (article?.title ?? "")), text: chosen };
}

/** All of HTML as Markdown, for HTML that was made of a document and hides nothing. */
export async function markdownOf(html: string): Promise<string> {
  if (await isTooDeep(html)) return strippedText(html);
  const { body } = await parsePage(html);
  return tidy((await createMarkdownConverter()).turndown(body as never));
}

async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  return parseHTML(withDocument(html)).document as PageDocument;
}

/** Characters that are looked at between two looks at the depth: the parser takes quadratic time on deep pages itself. */
const chunk = 16_000;

async function isTooDeep(html: string): Promise<boolean> {
  const { Parser } = await import("htmlparser2");
  let [depth, most] = [0, 0];
  const parser = new Parser({
    onopentag() {
      depth += 1;
      most = Math.max(most, depth);
    },
    onclosetag() {
      depth -= 1;
    },
  });
  for (let at = 0; at < html.length && most <= deepest; at += chunk) parser.write(html.slice(at, at + chunk));
  return most > deepest;
}

/** linkedom makes a body only where the text has an html element. */
function withDocument(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
}

function titleOf(document: PageDocument): string {
  const meta = document.querySelector("meta[property='og:title']")?.getAttribute("content");
  return (
    (document.querySelector("title")?.textContent || meta || document.querySelector("h1")?.textContent) ?? ""
  );
}

function dropUnseen(document: PageDocument): void {
  for (const element of document.querySelectorAll(unread)) element.remove();
  for (const element of document.querySelectorAll("[style]")) {
    if (hiddenStyle.test(element.getAttribute("style") ?? "")) element.remove();
  }
}

function completeLinks(document: PageDocument, url: string): void {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  for (const link of document.querySelectorAll("a[href]")) complete(link, "href", base);
  for (const image of document.querySelectorAll("img[src]")) complete(image, "src", base);
}

function complete(element: PageElement, attribute: string, base: string): void {
  const target = URL.parse(element.getAttribute(attribute) ?? "", base);
  if (target !== null && /^(https?|mailto):$/.test(target.protocol))
    element.setAttribute(attribute, target.href);
  else element.removeAttribute(attribute);
}

function tidy(markdown: string): string {
  return withoutInvisible(markdown)
    .replace(/(?<!!)\[\s*\]\([^()\s]*\)/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function oneLine(text: string): string {
  return withoutInvisible(text).replace(/\s+/g, " ").trim();
}

/** A converter to Markdown that keeps code blocks with their language and tables as tables. */
export async function createMarkdownConverter(): Promise<TurndownService> {
  const { default: Turndown } = await import("turndown");
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  turndown.addRule("code-block", {
    filter: ["pre"],
    replacement: (_content, node) => codeBlock(node as unknown as PageElement),
  });
  turndown.addRule("table", {
    filter: ["table"],
    replacement: (content, node) => table(node as unknown as PageElement, content),
  });
  turndown.addRule("strikethrough", { filter: ["del", "s"], replacement: (content) => `~~${content}~~` });
  turndown.addRule("image", {
    filter: ["img"],
    replacement: (_content, node) => image(node as unknown as PageElement),
  });
  return turndown;
}

function codeBlock(node: PageElement): string {
  const names = `${node.className} ${node.querySelector("code")?.className ?? ""}`;
  const language = /(?:language|lang|highlight-source|brush:)-?\s*([\w+#-]+)/.exec(names)?.[1] ?? "";
  const code = (node.textContent ?? "").replace(/^\n+/, "").trimEnd();
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return code === "" ? "" : `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** A table with one cell per row is layout: its content stands as it is. So does a table that holds tables. */
function table(node: PageElement, content: string): string {
  if (node.querySelector("table")) return `\n\n${content}\n\n`;
  const rows = [...node.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map(cell));
  const filled = rows.filter((cells) => cells.some((text) => text !== ""));
  const width = Math.max(0, ...filled.map((cells) => cells.length));
  if (width < 2) return `\n\n${content}\n\n`;
  const lines = filled.map(
    (cells) => `| ${Array.from({ length: width }, (_, index) => cells[index] ?? "").join(" | ")} |`,
  );
  lines.splice(1, 0, `|${" --- |".repeat(width)}`);
  return `\n\n${lines.join("\n")}\n\n`;
}

function cell(node: PageElement): string {
  return (node.textContent ?? "").replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

function image(node: PageElement): string {
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  const source = node.getAttribute("src") ?? "";
  if (alt === "") return "";
  return /^https?:/.test(source) ? `![${alt}](${source})` : alt;
}

/** An element of a parsed page, as far as reading it needs. The project has no DOM library types: it runs on Node. */
interface PageElement {
  readonly nodeName: string;
  readonly className: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement> & { readonly length: number };
}

/** A parsed page. */
interface PageDocument extends Omit<PageElement, "remove"> {
  readonly body: PageElement;
}

/** A page's text by removing markup alone, in linear time. */
export function strippedText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    parts.push(html.slice(at, open));
    at = afterMarkup(html, open);
  }
  parts.push(html.slice(at));
  return withoutInvisible(parts.join(" ")).replace(/\s+/g, " ").trim();
}

/** The position after the tag, comment, script or style that begins at `open`. */
function afterMarkup(html: string, open: number): number {
  const [, raw = ""] = /^<(script|style|!--)/i.exec(html.slice(open, open + 8)) ?? [];
  const end =
    { script: /<\/script[^>]*>?/gi, style: /<\/style[^>]*>?/gi, "!--": /-->/g }[raw.toLowerCase()] ?? />/g;
  end.lastIndex = open + 1;
  return end.test(html) ? end.lastIndex : html.length;
}
