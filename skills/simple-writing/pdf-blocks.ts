/** The blocks of a text as content of a document definition. */
import type { Content } from "pdfmake";
import { fitted, type Picture } from "./document.ts";
import { type Block, type Inline, type ListItem, type Look, wordsOf } from "./markdown-blocks.ts";
import { tableOf } from "./pdf-table.ts";
import { leading, type PdfWords } from "./pdf-words.ts";

/** Font sizes, list indent, maximum height of a picture, and height of a line, points. */
export const body = 10;
const headings = [17, 14, 12, 11, 10.5, 10];
const indent = 20;
const maxPictureHeight = 560;
const line = body * leading;
/** Paragraphs of up to this many lines are kept on one page. */
const shortLines = 5;

interface NamedPicture extends Picture {
  name: string;
}

/** A document while it is built. */
export interface Making {
  words: PdfWords;
  /** Names and sizes of the pictures by their paths. */
  pictures: ReadonlyMap<string, NamedPicture>;
  places: Place[];
}
/** A heading that the outline and the table of contents link to. */
interface Place {
  title: string;
  level: number;
  id: string;
}
type Node = Exclude<Content, string | Content[]>;

/** Where a block stands. */
export interface Column {
  width: number;
  look: Look;
  /** Depth of nested lists and quotes. */
  depth: number;
}

export function blocksOf(blocks: readonly Block[], column: Column, making: Making): Content[] {
  return blocks.map((block, at) => {
    const gap = at === 0 ? 0 : gapBetween(blocks[at - 1], block, column);
    if (block.kind !== "heading") return { stack: blockOf(block, column, making), marginTop: gap };
    // Room below the heading, so that the beginning of the next block stays with it.
    const room = column.depth === 0 ? roomOf(blocks, at + 1, column, making) : 0;
    const text = { ...headingOf(block, column, making), marginBottom: room };
    return { stack: [text], unbreakable: true, marginTop: gap, marginBottom: 1 - room };
  });
}

const headingGap = 11;
function gapBetween(above: Block | undefined, below: Block, { depth }: Column): number {
  if (below.kind === "heading") return headingGap;
  if (below.kind === "list" && depth > 0) return 1;
  return above?.kind === "table" || (below.kind === "table" && above?.kind !== "heading") ? 10 : 6;
}

/** The height of the beginning of a block, points. */
function roomOf(blocks: readonly Block[], at: number, column: Column, making: Making, above = 0): number {
  const block = blocks[at];
  if (block?.kind === "heading" && above < headings.length)
    return headingGap + sizeOf(block) * leading + roomOf(blocks, at + 1, column, making, above + 1);
  if (block?.kind === "table") return tableOf(block, making.words, column.width).start + 10;
  const [first] = block?.kind === "paragraph" ? block.inlines : [];
  const picture = first?.kind === "picture" ? making.pictures.get(first.path) : undefined;
  if (picture !== undefined) return sizeOfPicture(picture, column).height + 30;
  const lines =
    block?.kind === "paragraph" ? making.words.measure(block.inlines, {}, body, column.width).lines : 3;
  return 6 + (lines <= shortLines ? lines : 3) * line;
}

function blockOf(block: Exclude<Block, { kind: "heading" }>, column: Column, making: Making): Content[] {
  switch (block.kind) {
    case "paragraph":
      return paragraphsOf(block.inlines, column, making);
    case "list":
      return block.items.map((item, at) =>
        itemOf(item, block.ordered ? `${block.start + at}.` : undefined, column, making),
      );
    case "table":
      return block.header.length === 0 ? [] : [tableOf(block, making.words, column.width).content];
    case "code":
      return [codeOf(block.text, column, making)];
    case "quote": {
      const inner = {
        width: column.width - 16,
        look: { ...column.look, italic: true as const },
        depth: column.depth + 1,
      };
      return [frameOf(blocksOf(block.blocks, inner, making), { bar: 2.5, side: 13, width: inner.width })];
    }
    case "rule":
      return [ruleOf(column.width, "#c9ced6")];
  }
}

export function ruleOf(width: number, lineColor: string): Content {
  return {
    canvas: [{ type: "line", x1: 0, y1: 6, x2: width, y2: 6, lineWidth: 0.7, lineColor }],
    marginBottom: 6,
  };
}

/** A box that continues over pages: with a bar at its left edge, or a ground. */
function frameOf(
  stack: Content[],
  { bar = 0, side, width, ground }: { bar?: number; side: number; width: number; ground?: string },
): Node {
  return {
    table: { widths: [width], body: [[{ stack, fillColor: ground }]] },
    layout: {
      hLineWidth: () => 0,
      vLineWidth: (at: number) => (at === 0 ? bar : 0),
      vLineColor: () => "#c9ced6",
      paddingLeft: () => side,
      paddingRight: () => (ground === undefined ? 0 : side),
      paddingTop: () => (ground === undefined ? 0 : 4),
      paddingBottom: () => (ground === undefined ? 0 : 4),
    },
  };
}

function sizeOf({ level }: { level: number }): number {
  return headings[level - 1] ?? body;
}

function headingOf(
  heading: { level: number; inlines: readonly Inline[] },
  { look }: Column,
  { words, places }: Making,
): Node {
  const { level, inlines } = heading;
  const title = wordsOf(inlines).trim() || "–";
  const id = `place-${places.length + 1}`;
  const parent = places.findLast((place) => place.level < level);
  places.push({ title, level, id });
  return {
    text: words.inlines(inlines, { ...look, bold: true }),
    fontSize: sizeOf(heading),
    id,
    outline: true,
    outlineText: title.slice(0, 200),
    outlineExpanded: level < 2,
    outlineParentId: parent?.id,
  };
}

/** The words of a paragraph, and its pictures below one another. */
function paragraphsOf(inlines: readonly Inline[], column: Column, making: Making): Content[] {
  const found: Content[] = [];
  let text: Inline[] = [];
  let size = 0;
  const end = () => {
    if (text.length > 0) found.push(wordsIn(text, column, making));
    text = [];
    size = 0;
  };
  for (const inline of inlines.flatMap(inParts)) {
    const picture = inline.kind === "picture" ? making.pictures.get(inline.path) : undefined;
    if (picture !== undefined || size >= maxPart) end();
    if (inline.kind === "picture" && picture !== undefined)
      found.push(pictureOf(picture, inline.alt, column, making));
    else {
      text.push(inline);
      size += wordsOf([inline]).length;
    }
  }
  end();
  return found;
}

function wordsIn(inlines: readonly Inline[], { look, width, depth }: Column, { words }: Making): Node {
  const { lines } = words.measure(inlines, look, body, width);
  return { text: words.inlines(inlines, look), unbreakable: depth === 0 && lines <= shortLines };
}

function pictureOf(picture: NamedPicture, alt: string, column: Column, { words }: Making): Content {
  const caption = words.inlines([{ kind: "text", text: alt }], { italic: true });
  const image: Content = {
    image: picture.name,
    ...sizeOfPicture(picture, column),
    marginTop: 3,
    marginBottom: 3,
  };
  const below: Content[] = alt === "" ? [] : [{ text: caption, fontSize: 8.5 }];
  return { stack: [image, ...below], unbreakable: true };
}

/** A paragraph is laid out in parts of about this many characters, each on a new line: the library's time grows with their square. */
const maxPart = 8_000;

function inParts(inline: Inline): Inline[] {
  if (inline.kind !== "text" || inline.text.length <= maxPart) return [inline];
  const parts = inline.text.match(/.{1,8000}(?=\s|$)|.{1,8000}/gs) ?? [];
  return parts.map((text) => ({ ...inline, text }));
}

function sizeOfPicture({ width, height }: Picture, column: Column): { width: number; height: number } {
  // A pixel of a screen is 0.75 points.
  return fitted({ width: width * 0.75, height: height * 0.75 }, column.width, maxPictureHeight);
}

function itemOf(
  { checked, blocks }: ListItem,
  number: string | undefined,
  { width, look, depth }: Column,
  making: Making,
): Content {
  const bullet = number ?? ["•", "◦", "▪"][depth % 3] ?? "•";
  const mark = checked === undefined ? bullet : checked ? "☑" : "☐";
  const inner = { width: width - indent, look, depth: depth + 1 };
  return {
    columns: [
      { width: indent - 6, text: mark, alignment: "right", noWrap: true },
      { width: "*", stack: blocks.length === 0 ? [" "] : blocksOf(blocks, inner, making) },
    ],
    columnGap: 6,
    marginBottom: 1.5,
  };
}

function codeOf(code: string, { width }: Column, { words }: Making): Content {
  // Leading blanks are part of the code; a blank line keeps its height.
  const lines = code.replaceAll("\t", "    ").split("\n");
  const stack = lines.map((source): Content => {
    const text = source.replaceAll(" ", "\u00a0") || "\u00a0";
    return {
      text: words
        .inlines([{ kind: "text", text, code: true }])
        .map((run) => ({ ...run, background: undefined })),
    };
  });
  return {
    ...frameOf(stack, { side: 8, width: width - 16, ground: "#f4f5f7" }),
    fontSize: 8.5,
    preserveLeadingSpaces: true,
  };
}
