import type TurndownService from "turndown";
import { withoutInvisible } from "../base/text/invisible-text.ts";

/** The readable content of an HTML page. */
export interface ReadablePage {
  title: string;
  /** Markdown, whole. */
  text: string;
  /** Whether it is the article of a page that has other parts. */
  isArticle: boolean;
}

/** Maximum elements of a page whose article is searched for; of a larger page the whole body is converted. */
const maxElements = 30_000;
/** Maximum depth of elements; of a deeper page only the text is read. Some steps take time in proportion to size and depth. */
const maxDepth = 200;
/** Minimum characters of an article. */
const minArticle = 250;
const unread =
  "title, script, style, noscript, template, iframe, object, embed, canvas, svg, dialog, link, meta, select, input, textarea, button, [hidden], [aria-hidden='true']";
const hiddenStyle =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;

/**
 * The readable text of an HTML page: the article if one is found, otherwise the whole body, without invisible parts. Slow for large
 * pages, so run it in a worker.
 */
export async function readablePage(html: string, url: string): Promise<ReadablePage> {
  const { Readability } = await import("@mozilla/readability");
  if (await isTooDeep(html)) return { title: "", text: strippedText(html), isArticle: false };
  const turndown = await createMarkdownConverter();
  const markdown = (element: PageElement) => tidy(turndown.turndown(element as never));
  const document = await parsePage(html);
  const title = titleOf(document);
  dropUnseen(document);
  completeLinks(document, url);
  const body = markdown(document.body);
  const searchable = document.querySelectorAll("*").length <= maxElements;
  // Readability destroys the document, so the body is read before.
  const article = searchable
    ? new Readability(document as never, { charThreshold: minArticle, keepClasses: true }).parse()
    : null;
  const text = article?.content ? markdown((await parsePage(article.content)).body) : "";
  // A short "article" is a teaser or a cookie notice, so the whole body is better.
  const isArticle = text.length >= minArticle && text.length < body.length;
  const chosen = text.length >= minArticle ? text : body;
  return { title: oneLine(title || (article?.title ?? "")), text: chosen, isArticle };
}

/** Converts all HTML to Markdown, for HTML that was made from a document and hides nothing. */
export async function markdownOf(html: string): Promise<string> {
  if (await isTooDeep(html)) return strippedText(html);
  const { body } = await parsePage(html);
  return tidy((await createMarkdownConverter()).turndown(body as never));
}

async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  return parseHTML(withDocument(html)).document as PageDocument;
}

/** Characters between two checks of the depth: the parser itself takes quadratic time on deep pages. */
const chunk = 16_000;

async function isTooDeep(html: string): Promise<boolean> {
  const { Parser } = await import("htmlparser2");
  let depth = 0;
  let reached = 0;
  const parser = new Parser({
    onopentag() {
      depth += 1;
      reached = Math.max(reached, depth);
    },
    onclosetag() {
      depth -= 1;
    },
  });
  for (let at = 0; at < html.length && reached <= maxDepth; at += chunk) {
    parser.write(html.slice(at, at + chunk));
  }
  return reached > maxDepth;
}

/** linkedom only creates a body if the text has an html element. */
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
  const maxRun = (code.match(/`{3,}/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2);
  const fence = "`".repeat(maxRun + 1);
  return code === "" ? "" : `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** Converts a table. The content of a layout table, with one cell per row or with nested tables, stays as it is. */
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

/** The needed parts of an element of a parsed page. The project has no DOM types because it runs on Node. */
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

/** The text of a page with only its markup removed, in linear time. */
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

/** The position after the tag, comment, script or style at `open`. */
function afterMarkup(html: string, open: number): number {
  const [, raw = ""] = /^<(script|style|!--)/i.exec(html.slice(open, open + 8)) ?? [];
  const end =
    { script: /<\/script[^>]*>?/gi, style: /<\/style[^>]*>?/gi, "!--": /-->/g }[raw.toLowerCase()] ?? />/g;
  end.lastIndex = open + 1;
  return end.test(html) ? end.lastIndex : html.length;
}
