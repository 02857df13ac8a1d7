/** Markdown as blocks, the basis of every format: without HTML, and only with links to the web or a mailbox. */
import { Parser } from "htmlparser2";
import { Marked, type MarkedToken, type Token, type Tokens } from "marked";

/** The formatting of words. */
export interface Look {
  bold?: true | undefined;
  italic?: true | undefined;
  strike?: true | undefined;
  code?: true | undefined;
  /** `https:`, `http:` or `mailto:`. */
  href?: string;
}
export type Inline =
  | ({ kind: "text"; text: string } & Look)
  | { kind: "break" }
  | { kind: "picture"; path: string; alt: string }
  /** A reference to a footnote, counted from 1. */
  | { kind: "note"; number: number };

export interface ListItem {
  /** Only for a task. */
  checked: boolean | undefined;
  blocks: Block[];
}
export interface TableBlock {
  kind: "table";
  align: readonly ("left" | "center" | "right")[];
  header: Inline[][];
  /** Each row has as many cells as the header. */
  rows: Inline[][][];
}
export type Block =
  | { kind: "heading"; level: number; inlines: Inline[] }
  | { kind: "paragraph"; inlines: Inline[] }
  | { kind: "list"; ordered: boolean; start: number; items: ListItem[] }
  | TableBlock
  | { kind: "code"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "rule" };

export interface Text {
  blocks: Block[];
  /** By their numbers, from 1. */
  footnotes: Inline[][];
  /** Paths of the pictures in the text. */
  pictures: string[];
  /** Sentences about content that cannot be shown. */
  notes: string[];
}

/** Maximum columns of a table: Word opens no file with more. */
const maxColumns = 63;
/** Maximum cells of all tables of a text: a file of Word or PDF needs up to a millisecond for each. */
const maxCells = 10_000;
/** Maximum nesting of quotes and lists; deeper ones lose their frame. */
const maxDepth = 8;

/** @throws RangeError if the nesting exceeds the stack */
export function readMarkdown(markdown: string): Text {
  const tokens = new Marked({ extensions: [footnoteText, footnoteMark] }).lexer(printable(markdown));
  const reading: Reading = {
    texts: new Map(),
    numbers: new Map(),
    pictures: new Set(),
    notes: new Set(),
    cells: maxCells,
  };
  for (const token of tokens)
    if (token.type === "footnoteText")
      reading.texts.set(String((token as Tokens.Generic).label), token.tokens ?? []);
  const blocks = blocksOf(tokens, reading, 0);
  // References to footnotes within footnotes stay as written.
  const inNotes = { ...reading, texts: new Map() };
  const footnotes = [...reading.numbers.keys()].map((label) =>
    inlinesOf(reading.texts.get(label), {}, inNotes),
  );
  return { blocks, footnotes, pictures: [...reading.pictures], notes: [...reading.notes] };
}

/** Removes control characters and lone surrogates, which XML and PDF cannot contain. */
export function printable(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll("\r\n", "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, "")
  );
}

/** Letters that are read from right to left. */
export const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The plain text. */
export function wordsOf(inlines: readonly Inline[]): string {
  const texts = inlines.map((one) => {
    if (one.kind === "text") return one.text;
    return one.kind === "picture" ? one.alt : one.kind === "break" ? " " : "";
  });
  return texts.join("");
}

interface Reading {
  texts: Map<string, Token[]>;
  /** Numbers of the footnotes that are referenced. */
  numbers: Map<string, number>;
  pictures: Set<string>;
  notes: Set<string>;
  /** Cells that further tables may have. */
  cells: number;
}

/** `[^1]: text`, with the indented lines below it. https://www.markdownguide.org/extended-syntax/#footnotes */
const footnoteText = {
  name: "footnoteText",
  level: "block" as const,
  tokenizer(this: { lexer: { inlineTokens(text: string): Token[] } }, source: string) {
    const found = /^\[\^([^\]\s]{1,60})\]:[ \t]+([^\n]+(?:\n[ \t]+[^\n]+)*)(?:\n|$)/.exec(source);
    if (found === null) return undefined;
    const [raw, label = "", text = ""] = found;
    const tokens = this.lexer.inlineTokens(text.replace(/\n[ \t]+/g, " "));
    return { type: "footnoteText", raw, label, tokens };
  },
};
const footnoteMark = {
  name: "footnoteMark",
  level: "inline" as const,
  start: (source: string) => source.indexOf("[^"),
  tokenizer(source: string) {
    const [raw, label] = /^\[\^([^\]\s]{1,60})\]/.exec(source) ?? [];
    return raw === undefined ? undefined : { type: "footnoteMark", raw, label };
  },
};

function blocksOf(tokens: readonly Token[], reading: Reading, depth: number): Block[] {
  return tokens.flatMap((token) => blockOf(token as MarkedToken, reading, depth));
}

function blockOf(token: MarkedToken, reading: Reading, depth: number): Block | Block[] {
  switch (token.type) {
    case "heading":
      return { kind: "heading", level: token.depth, inlines: inlinesOf(token.tokens, {}, reading) };
    case "paragraph":
    case "text":
      return paragraphOf(token, reading);
    case "code":
      return { kind: "code", text: token.text };
    case "hr":
      return { kind: "rule" };
    case "html":
      return htmlBlock(token.text, reading);
    case "blockquote": {
      const blocks = blocksOf(token.tokens, reading, depth + 1);
      return depth >= maxDepth ? blocks : { kind: "quote", blocks };
    }
    case "list":
      return listOf(token, reading, depth);
    case "table":
      return tableOf(token, reading);
    default:
      return [];
  }
}

/** Minimum length of wrapped lines; shorter lines keep their breaks, as in an address or a signature. */
const wrapped = 55;

function paragraphOf(token: Tokens.Paragraph | Tokens.Text, reading: Reading): Block {
  const inlines = inlinesOf(token.tokens ?? [token], {}, reading);
  const lines = token.text.split("\n").slice(0, -1);
  const short = lines.filter(({ length }) => length < wrapped).length;
  const isBroken = lines.length > 0 && 2 * short >= lines.length;
  return { kind: "paragraph", inlines: isBroken ? inlines.flatMap(byLines) : inlines };
}

function byLines(inline: Inline): Inline[] {
  if (inline.kind !== "text") return [inline];
  return inline.text
    .split(/(?<! ) *\n */)
    .flatMap((text, at): Inline[] => [
      ...(at === 0 ? [] : [{ kind: "break" } as const]),
      ...(text === "" ? [] : [{ ...inline, text }]),
    ]);
}

/** Keeps HTML as text and removes comments. */
function htmlBlock(html: string, { notes }: Reading): Block[] {
  const text = html.replace(/<!--[\s\S]*?(?:-->|$)/g, "").trim();
  if (text === "") return [];
  notes.add(htmlNote);
  const inlines = text.split("\n").flatMap((line, at): Inline[] => {
    const words: Inline = { kind: "text", text: line };
    return at === 0 ? [words] : [{ kind: "break" }, words];
  });
  return [{ kind: "paragraph", inlines }];
}

const htmlNote = "HTML in the Markdown is shown as text.";

function listOf({ ordered, start, items }: Tokens.List, reading: Reading, depth: number): Block | Block[] {
  const made = items.map(({ task, checked, tokens }): ListItem => {
    const content = tokens.filter(({ type }) => type !== "checkbox");
    return { checked: task ? checked === true : undefined, blocks: blocksOf(content, reading, depth + 1) };
  });
  if (depth >= maxDepth) return made.flatMap(({ blocks }) => blocks);
  const first = typeof start === "number" ? Math.min(start, 30_000) : 1;
  return { kind: "list", ordered, start: first, items: made };
}

function tableOf({ align, header: all, rows }: Tokens.Table, reading: Reading): TableBlock {
  const header = all.slice(0, maxColumns);
  if (header.length < all.length)
    reading.notes.add(
      `A table is cut: its columns ${maxColumns + 1} to ${all.length} were left out. Use a spreadsheet.`,
    );
  const room = Math.max(0, Math.floor(reading.cells / header.length) - 1);
  const shown = rows.slice(0, room);
  reading.cells -= header.length * (shown.length + 1);
  if (shown.length < rows.length)
    reading.notes.add(
      `A table is cut: its rows ${room + 1} to ${rows.length} were left out, because a text has at most ${maxCells.toLocaleString("en")} cells. Use a spreadsheet.`,
    );
  const cell = ({ tokens }: Tokens.TableCell) => inlinesOf(tokens, {}, reading);
  return {
    kind: "table",
    align: align.map((one) => one ?? "left"),
    header: header.map(cell),
    rows: shown.map((row) => header.map((_, at) => (row[at] === undefined ? [] : cell(row[at])))),
  };
}

function inlinesOf(tokens: readonly Token[] | undefined, look: Look, reading: Reading): Inline[] {
  return (tokens ?? []).flatMap((token) => inlineOf(token, look, reading));
}

function inlineOf(generic: Token, look: Look, reading: Reading): Inline | Inline[] {
  if (generic.type === "footnoteMark") return noteOf(generic as Tokens.Generic, look, reading);
  const token = generic as MarkedToken;
  switch (token.type) {
    case "text":
      if (token.tokens !== undefined) return inlinesOf(token.tokens, look, reading);
      return { kind: "text", text: unescaped(token.text), ...look };
    case "escape":
      return { kind: "text", text: printable(token.text), ...look };
    case "strong":
      return inlinesOf(token.tokens, { ...look, bold: true }, reading);
    case "em":
      return inlinesOf(token.tokens, { ...look, italic: true }, reading);
    case "del":
      return inlinesOf(token.tokens, { ...look, strike: true }, reading);
    case "codespan":
      return { kind: "text", text: token.text, ...look, code: true };
    case "br":
      return { kind: "break" };
    case "link": {
      const href = token.autolink ? token.href : unescaped(token.href);
      return inlinesOf(token.tokens, { ...look, ...linkTo(href, reading) }, reading);
    }
    case "image":
      return pictureOf(token, look, reading);
    case "html":
      if (/^<br\s*\/?>$/i.test(token.text.trim())) return { kind: "break" };
      if (token.text.startsWith("<!--")) return [];
      reading.notes.add(htmlNote);
      return { kind: "text", text: token.text, ...look };
    default:
      return [];
  }
}

function noteOf({ label, raw }: Tokens.Generic, look: Look, { texts, numbers }: Reading): Inline {
  if (!texts.has(label)) return { kind: "text", text: raw, ...look };
  if (!numbers.has(label)) numbers.set(label, numbers.size + 1);
  return { kind: "note", number: numbers.get(label) ?? 0 };
}

function linkTo(href: string, { notes }: Reading): Pick<Look, "href"> {
  const url = URL.parse(href);
  if (url !== null && ["https:", "http:", "mailto:"].includes(url.protocol)) return { href: url.href };
  notes.add("Links that lead neither to the web nor to a mailbox are shown as text.");
  return {};
}

function pictureOf({ href, text }: Tokens.Image, look: Look, reading: Reading): Inline {
  const alt = unescaped(text);
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) {
    const shown = alt.slice(0, 80) || "a picture";
    reading.notes.add(
      `Pictures from the web are not fetched; their descriptions are shown instead: ${shown}.`,
    );
    return { kind: "text", text: `[${alt || "picture"}]`, ...look, ...linkTo(href, reading) };
  }
  const path = decoded(unescaped(href));
  reading.pictures.add(path);
  return { kind: "picture", path, alt };
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** Decodes entities such as `&amp;`. */
function unescaped(text: string): string {
  let found = "";
  const characters = text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});/gi, (entity) => {
    found = "";
    const parser = new Parser({
      ontext(piece) {
        found += piece;
      },
    });
    parser.end(entity);
    return found;
  });
  return printable(characters);
}
