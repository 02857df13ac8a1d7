import PDFDocument from "pdfkit";
import { fitted, type Picture, type Writing } from "./document.ts";
import { type Block, type Inline, type ListItem, wordsOf } from "./markdown-blocks.ts";
import { breakLines, drawLine, leading, openFonts } from "./pdf-lines.ts";
import { isReadFromRight, rightToLeft } from "./pdf-order.ts";
import {
  keepContentsPages,
  leaveGap,
  makeRoom,
  moveOn,
  numberPages,
  type Place,
  type Sheet,
  within,
  writeContents,
  writeLines,
} from "./pdf-sheet.ts";
import { startOfTable, writeTable } from "./pdf-table.ts";

/** Margins, font sizes and list indent, points. */
const margin = { x: 64, top: 60, bottom: 64 };
const body = 10;
const headings = [17, 14, 12, 11, 10.5, 10];
const indent = 20;

interface Making {
  pictures: ReadonlyMap<string, Picture>;
  /** Pictures already in the file, so that each is embedded once. */
  opened: Map<Picture, object>;
  places: Place[];
  outlines: PDFKit.PDFOutline[];
}

/** A PDF with an outline, page numbers, links and the shipped font. `notes`: sentences about content that cannot be shown. */
export async function makePdf(
  writing: Writing,
): Promise<{ data: Uint8Array; pages: number; notes: string[] }> {
  const { title, author, language, now, pictures, text } = writing;
  const document = new PDFDocument({
    size: writing.isLetter ? "LETTER" : "A4",
    pdfVersion: "1.7",
    margins: { left: margin.x, right: margin.x, top: margin.top, bottom: 0 },
    bufferPages: true,
    font: "",
    displayTitle: true,
    info: { Title: title, Author: author, CreationDate: new Date(now) },
    ...(language === undefined ? {} : { lang: language }),
  });
  const chunks: Uint8Array[] = [];
  document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const done = new Promise<void>((resolve, reject) => document.on("end", resolve).on("error", reject));
  const fonts = openFonts(document);
  const { width, height } = document.page;
  const sheet: Sheet = {
    document,
    fonts,
    size: body,
    bars: [],
    lists: 0,
    left: margin.x,
    width: width - 2 * margin.x,
    y: margin.top,
    top: margin.top,
    bottom: height - margin.bottom,
  };
  const making: Making = { pictures, opened: new Map(), places: [], outlines: [document.outline] };
  if (writing.isTitleAbove) writeTitle(sheet, title);
  const contents = writing.hasContents ? keepContentsPages(sheet, text.blocks) : undefined;
  writeBlocks(sheet, text.blocks, making);
  writeFootnotes(sheet, text.footnotes);
  if (contents !== undefined) writeContents(sheet, contents, making.places);
  const pages = numberPages(sheet, title);
  document.end();
  await done;
  return { data: Buffer.concat(chunks), pages, notes: notesOf(fonts.missing, text.blocks) };
}

function writeTitle(sheet: Sheet, title: string): void {
  within(sheet, { size: 22, bold: true }, (inner) => writeLines(inner, [{ kind: "text", text: title }]));
  moveOn(sheet, 12);
}

function writeBlocks(sheet: Sheet, blocks: readonly Block[], making: Making): void {
  for (const [at, block] of blocks.entries()) {
    if (at > 0) leaveGap(sheet, gapBetween(blocks[at - 1], block));
    if (block.kind === "heading") writeHeading(sheet, block, making, roomOf(blocks, at + 1, sheet, making));
    else writeBlock(sheet, block, making);
  }
}

const headingGap = 11;
function gapBetween(above: Block | undefined, below: Block): number {
  if (below.kind === "heading") return headingGap;
  return above?.kind === "table" || (below.kind === "table" && above?.kind !== "heading") ? 10 : 6;
}

function writeBlock(sheet: Sheet, block: Block, making: Making): void {
  switch (block.kind) {
    case "heading":
      writeHeading(sheet, block, making, 3 * body * leading);
      break;
    case "paragraph":
      writeParagraph(sheet, block.inlines, making);
      break;
    case "list":
      for (const [at, item] of block.items.entries())
        writeItem(sheet, item, block.ordered ? `${block.start + at}.` : undefined, making);
      break;
    case "table":
      writeTable(sheet, block);
      break;
    case "code":
      writeCode(sheet, block.text);
      break;
    case "quote":
      writeQuote(sheet, block.blocks, making);
      break;
    case "rule":
      writeRule(sheet);
  }
}

function writeQuote(sheet: Sheet, blocks: readonly Block[], making: Making): void {
  const { left, width, bars } = sheet;
  makeRoom(sheet, 2 * body * leading);
  const inner = { left: left + 14, width: width - 14, bars: [...bars, left + 2], italic: true };
  within(sheet, inner, (quote) => writeBlocks(quote, blocks, making));
}

function writeRule(sheet: Sheet): void {
  makeRoom(sheet, 12);
  const { document, left, width, y } = sheet;
  moveOn(sheet, 12);
  document
    .lineWidth(0.7)
    .moveTo(left, y + 6)
    .lineTo(left + width, y + 6)
    .stroke("#c9ced6");
}

/** The minimum room for the beginning of a block, so that a heading above it is not left alone. */
function roomOf(blocks: readonly Block[], at: number, sheet: Sheet, making: Making, above = 0): number {
  const block = blocks[at];
  if (block?.kind === "heading" && above < headings.length)
    return headingGap + sizeOf(block) * leading + roomOf(blocks, at + 1, sheet, making, above + 1);
  if (block?.kind === "table") return startOfTable(sheet, block) + 8;
  const [first] = block?.kind === "paragraph" ? block.inlines : [];
  const picture = first?.kind === "picture" ? making.pictures.get(first.path) : undefined;
  return picture === undefined ? 3 * body * leading : pictureSize(sheet, picture).height + 30;
}

function sizeOf({ level }: { level: number }): number {
  return headings[level - 1] ?? body;
}

function writeHeading(
  sheet: Sheet,
  heading: { level: number; inlines: readonly Inline[] },
  { places, outlines }: Making,
  below: number,
): void {
  const { document } = sheet;
  const { level, inlines } = heading;
  within(sheet, { size: sizeOf(heading), bold: true }, (inner) => {
    const [first] = breakLines(inlines, inner.width, inner);
    makeRoom(inner, (first?.height ?? 0) + below);
    const title = wordsOf(inlines).trim() || "–";
    const name = `place-${places.length + 1}`;
    document.addNamedDestination(name, "XYZ", sheet.left, inner.y, null);
    const parent = outlines.slice(0, level).findLast((one) => one !== undefined) ?? document.outline;
    outlines.length = Math.min(outlines.length, level);
    outlines[level] = parent.addItem(title.slice(0, 200), { expanded: level < 2 });
    places.push({ title, level, name, page: document.bufferedPageRange().count });
    writeLines(inner, inlines);
  });
  moveOn(sheet, 1);
}

function writeParagraph(sheet: Sheet, inlines: readonly Inline[], making: Making): void {
  let words: Inline[] = [];
  const write = () => {
    if (words.length > 0) writeLines(sheet, words);
    words = [];
  };
  for (const inline of inlines) {
    const picture = inline.kind === "picture" ? making.pictures.get(inline.path) : undefined;
    if (inline.kind !== "picture" || picture === undefined) words.push(inline);
    else {
      write();
      writePicture(sheet, picture, inline.alt, making);
    }
  }
  write();
}

function pictureSize({ width, bottom, top }: Sheet, picture: Picture): { width: number; height: number } {
  // A pixel of a screen is 0.75 points.
  const onScreen = { width: picture.width * 0.75, height: picture.height * 0.75 };
  return fitted(onScreen, width, (bottom - top) * 0.85);
}

function writePicture(sheet: Sheet, picture: Picture, alt: string, { opened }: Making): void {
  const { width, height } = pictureSize(sheet, picture);
  makeRoom(sheet, height + 6 + (alt === "" ? 0 : 14));
  const { document, left, y } = sheet;
  moveOn(sheet, height + 6);
  const image = opened.get(picture) ?? openImage(document, picture);
  opened.set(picture, image);
  document.image(image as Buffer, left, y + 3, { width, height });
  if (alt === "") return;
  within(sheet, { size: 8.5, italic: true }, (inner) => writeLines(inner, [{ kind: "text", text: alt }]));
}

/** A method missing in the library's types. https://pdfkit.org/docs/images.html */
function openImage(document: PDFKit.PDFDocument, { data }: Picture): object {
  return (document as unknown as { openImage(source: Buffer): object }).openImage(Buffer.from(data));
}

function writeItem(
  sheet: Sheet,
  { checked, blocks }: ListItem,
  number: string | undefined,
  making: Making,
): void {
  const [first] = blocks;
  const words = first?.kind === "paragraph" ? first.inlines : [];
  const fromRight = isReadFromRight(words);
  const width = sheet.width - indent;
  const lines = breakLines(words, width, sheet).length;
  makeRoom(sheet, Math.min(2, lines) * body * leading);
  const bullet = number ?? ["•", "◦", "▪"][sheet.lists % 3] ?? "•";
  const mark = checked === undefined ? bullet : checked ? "☑" : "☐";
  const x = fromRight ? sheet.left + sheet.width - indent + 6 : sheet.left;
  const place = { x, y: sheet.y, width: indent - 6, align: fromRight ? "left" : "right" } as const;
  for (const line of breakLines([{ kind: "text", text: mark }], 60, sheet)) drawLine(line, place, sheet);
  const inner = { left: sheet.left + (fromRight ? 0 : indent), width, lists: sheet.lists + 1 };
  within(sheet, inner, (column) => {
    for (const [at, block] of blocks.entries()) {
      if (at > 0) leaveGap(column, block.kind === "list" ? 1 : 4);
      writeBlock(column, block, making);
    }
    if (blocks.length === 0) moveOn(column, body * leading);
  });
  moveOn(sheet, 1.5);
}

function writeCode(sheet: Sheet, code: string): void {
  const inner = { left: sheet.left + 8, width: sheet.width - 16, size: 8.5 };
  const edge = (height: number) => {
    const { document, left, width, y } = sheet;
    moveOn(sheet, height);
    document.rect(left, y, width, height).fill("#f4f5f7");
  };
  makeRoom(sheet, 2 * inner.size * leading + 8);
  edge(4);
  for (const source of code.replaceAll("\t", "    ").split("\n")) {
    const setting = { ...sheet, ...inner };
    // Leading blanks are part of the code; a blank line keeps its height.
    const text = source.replaceAll(" ", "\u00a0") || "\u00a0";
    for (const line of breakLines([{ kind: "text", text, code: true }], inner.width, setting)) {
      makeRoom(sheet, line.height);
      const { y } = sheet;
      edge(line.height);
      const plain = { ...line, pieces: line.pieces.map((piece) => ({ ...piece, look: {} })) };
      drawLine(plain, { x: inner.left, y, width: inner.width }, setting);
    }
  }
  edge(4);
}

function writeFootnotes(sheet: Sheet, footnotes: readonly Inline[][]): void {
  if (footnotes.length === 0) return;
  moveOn(sheet, 14);
  makeRoom(sheet, 40);
  sheet.document
    .lineWidth(0.5)
    .moveTo(sheet.left, sheet.y)
    .lineTo(sheet.left + 120, sheet.y)
    .stroke("#8a8f98");
  moveOn(sheet, 5);
  for (const [at, inlines] of footnotes.entries())
    within(sheet, { size: 8.5 }, (inner) =>
      writeLines(inner, [{ kind: "note", number: at + 1 }, { kind: "text", text: " " }, ...inlines]),
    );
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
    notes.push("The PDF supports right-to-left text only in a simple way; a docx file supports it fully.");
  return notes;
}
