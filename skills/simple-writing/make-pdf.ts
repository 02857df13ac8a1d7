import pdfmake, { type Content, type Definition } from "pdfmake";
import { fitted, type Picture, type Writing } from "./document.ts";
import {
  type Block,
  type Inline,
  type ListItem,
  type Look,
  rightToLeft,
  wordsOf,
} from "./markdown-blocks.ts";
import { tableOf } from "./pdf-table.ts";
import { fonts, leading, lineHeight, PdfWords } from "./pdf-words.ts";

/** Margins, font sizes, list indent, maximum height of a picture, and height of a line, points. */
const margin = { x: 64, top: 60, bottom: 64 };
const body = 10;
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
interface Making {
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
interface Column {
  width: number;
  look: Look;
  /** Depth of nested lists and quotes. */
  depth: number;
}

/** A PDF with an outline, page numbers, links and the shipped font. `notes`: sentences about content that cannot be shown. */
export async function makePdf(
  writing: Writing,
): Promise<{ data: Uint8Array; pages: number; notes: string[] }> {
  const { title, author, language, now, text } = writing;
  const named = [...writing.pictures].map(
    ([path, picture], at) => [path, { ...picture, name: `p${at}` }] as const,
  );
  const making: Making = { words: new PdfWords(), pictures: new Map(named), places: [] };
  const column = { width: (writing.isLetter ? 612 : 595.28) - 2 * margin.x, look: {}, depth: 0 };
  const blocks = blocksOf(text.blocks, column, making);
  const above: Content = {
    text: making.words.inlines([{ kind: "text", text: title }], { bold: true }),
    fontSize: 22,
    marginBottom: 12,
  };
  let pages = 0;
  const definition: Definition = {
    pageSize: writing.isLetter ? "LETTER" : "A4",
    pageMargins: [margin.x, margin.top, margin.x, margin.bottom],
    version: "1.7",
    displayTitle: true,
    language,
    info: { title, author, creationDate: new Date(now) },
    defaultStyle: { font: "sans", fontSize: body, lineHeight, color: "#1c1c1c" },
    images: Object.fromEntries(
      named.map(([, { name, kind, data }]) => [
        name,
        `data:image/${kind};base64,${Buffer.from(data).toString("base64")}`,
      ]),
    ),
    content: [
      ...(writing.isTitleAbove ? [above] : []),
      ...(writing.hasContents ? [contentsOf(making)] : []),
      ...blocks,
      ...footnotesOf(text.footnotes, making),
    ],
    footer(page, count) {
      pages = count;
      return footerOf(page, count, title, making);
    },
  };
  const paths = new Set<unknown>(Object.values(fonts).flatMap((cuts) => Object.values(cuts)));
  pdfmake.setFonts(fonts);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => paths.has(path));
  const data = await pdfmake.createPdf(definition).getBuffer();
  return { data, pages, notes: notesOf(making.words.missing, text.blocks) };
}

function blocksOf(blocks: readonly Block[], column: Column, making: Making): Content[] {
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

function ruleOf(width: number, lineColor: string): Content {
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

function contentsOf({ places, words }: Making): Content {
  const rows = places
    .filter(({ level }) => level <= 3)
    .map(({ title, level, id }): Content[] => [
      {
        text: words.inlines([{ kind: "text", text: title }], level === 1 ? { bold: true } : {}),
        linkToDestination: id,
        marginLeft: (level - 1) * 16,
      },
      { pageReference: id, alignment: "right", linkToDestination: id },
    ]);
  return {
    table: { widths: ["*", 40], dontBreakRows: true, body: rows },
    layout: "noBorders",
    pageBreak: "after",
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

function footnotesOf(footnotes: readonly Inline[][], { words }: Making): Content[] {
  if (footnotes.length === 0) return [];
  const notes = footnotes.map((inlines, at): Content => {
    const marked: Inline[] = [{ kind: "note", number: at + 1 }, { kind: "text", text: " " }, ...inlines];
    return { text: words.inlines(marked), fontSize: 8.5 };
  });
  return [
    { stack: [ruleOf(120, "#8a8f98"), ...notes.slice(0, 1)], unbreakable: true, marginTop: 8 },
    ...notes.slice(1),
  ];
}

/** The page number, and the title on all pages but the first. */
function footerOf(page: number, count: number, title: string, { words }: Making): Content {
  return {
    columns: [
      {
        text: page === 1 ? "" : words.inlines([{ kind: "text", text: title }]),
        width: "*",
        noWrap: true,
        maxHeight: 12,
      },
      { text: count === 1 ? "" : `${page} / ${count}`, width: 80, alignment: "right" },
    ],
    fontSize: 8,
    margin: [margin.x, 24, margin.x, 0],
  };
}

function notesOf(missing: ReadonlySet<string>, blocks: readonly Block[]): string[] {
  const notes: string[] = [];
  if (missing.size > 0) {
    const shown = [...missing].slice(0, 12).join(" ");
    const more = missing.size > 12 ? " …" : "";
    notes.push(`The PDF's font has no ${shown}${more}; they are shown as boxes. A docx file shows them.`);
  }
  const widest = Math.max(0, ...blocks.map((block) => (block.kind === "table" ? block.header.length : 0)));
  if (widest > 14)
    notes.push(
      `A table has ${widest} columns, too many to be readable on a page. Use a spreadsheet instead.`,
    );
  if (rightToLeft.test(JSON.stringify(blocks)))
    notes.push("The PDF shows right-to-left words in the wrong order; a docx file shows them correctly.");
  return notes;
}
