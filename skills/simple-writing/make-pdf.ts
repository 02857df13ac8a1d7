import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Block, type Run, textOf } from "./blocks.ts";
import { fitted, type Writing } from "./document.ts";

const fonts = {
  regular: "DejaVuSans",
  bold: "DejaVuSans-Bold",
  italic: "DejaVuSans-Oblique",
  boldItalic: "DejaVuSans-BoldOblique",
  mono: "DejaVuSansMono",
} as const;
type FontName = keyof typeof fonts;

/** Points. */
const margin = 64;
const size = 10.5;
const headingSizes = [20, 16, 13, 11.5, 10.5, 10.5];
const ink = "#222222";
const faint = "#666666";

/** A PDF with an outline, page numbers and links, in the shipped font. `missing`: signs that the font has not. */
export async function makePdf(
  writing: Writing,
): Promise<{ data: Uint8Array; pages: number; missing: string[] }> {
  const [{ default: PDFDocument }, fontkit, files] = await Promise.all([
    import("pdfkit"),
    import("fontkit"),
    fontFiles(),
  ]);
  const doc = new PDFDocument({
    size: "A4",
    margin,
    bufferPages: true,
    info: { Title: writing.title, Author: writing.author },
    ...(writing.language === undefined ? {} : { lang: writing.language }),
  });
  for (const [name, data] of Object.entries(files)) doc.registerFont(name, data);
  const chunks: Buffer[] = [];
  doc.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => doc.on("end", resolve).on("error", reject));
  const page = new Layout(doc, writing);
  for (const block of writing.blocks) page.add(block);
  const pages = numberPages(doc);
  doc.end();
  await ended;
  const font = fontkit.create(files.regular) as { hasGlyphForCodePoint(code: number): boolean };
  return { data: new Uint8Array(Buffer.concat(chunks)), pages, missing: missingIn(writing.blocks, font) };
}

async function fontFiles(): Promise<Record<FontName, Buffer>> {
  const { resolve } = createRequire(import.meta.url);
  const read = async ([name, file]: [string, string]) =>
    [name, await readFile(resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`))] as const;
  return Object.fromEntries(await Promise.all(Object.entries(fonts).map(read))) as Record<FontName, Buffer>;
}

function missingIn(
  blocks: readonly Block[],
  font: { hasGlyphForCodePoint(code: number): boolean },
): string[] {
  const signs = new Set<string>();
  for (const block of blocks) {
    const runs =
      "runs" in block
        ? block.runs
        : block.kind === "table"
          ? [...block.header, ...block.rows.flat()].flat()
          : [];
    for (const sign of textOf(runs))
      if (!font.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0) && !/\s/.test(sign)) signs.add(sign);
  }
  return [...signs].slice(0, 20);
}

function numberPages(doc: PDFKit.PDFDocument): number {
  const { start, count } = doc.bufferedPageRange();
  for (let at = start; at < start + count; at += 1) {
    doc.switchToPage(at);
    const bottom = doc.page.margins.bottom;
    // Below the margin a new page would begin.
    doc.page.margins.bottom = 0;
    doc.font("regular").fontSize(8.5).fillColor(faint);
    doc.text(`${at - start + 1} / ${count}`, margin, doc.page.height - 40, {
      align: "center",
      width: doc.page.width - 2 * margin,
      lineBreak: false,
    });
    doc.page.margins.bottom = bottom;
  }
  return count;
}

/** Puts blocks on pages, one below the other. */
class Layout {
  readonly #doc: PDFKit.PDFDocument;
  readonly #writing: Writing;

  constructor(doc: PDFKit.PDFDocument, writing: Writing) {
    this.#doc = doc;
    this.#writing = writing;
  }

  get #width(): number {
    return this.#doc.page.width - 2 * margin;
  }

  get #bottom(): number {
    return this.#doc.page.height - margin;
  }

  /** Begins a page when so much does not fit on this one. */
  #need(height: number): void {
    if (this.#doc.y + height > this.#bottom && this.#doc.y > margin) this.#doc.addPage();
  }

  add(block: Block): void {
    const doc = this.#doc;
    switch (block.kind) {
      case "heading": {
        const own = headingSizes[block.level - 1] ?? size;
        if (doc.y > margin) doc.moveDown(0.6);
        this.#need(own * 3.5);
        doc.outline.addItem(textOf(block.runs));
        this.#runs(
          block.runs.map((run) => ({ ...run, bold: true })),
          { left: 0, size: own },
        );
        doc.moveDown(0.35);
        break;
      }
      case "paragraph":
        this.#quoted(block.quote, () => this.#runs(block.runs, { left: 16 * block.quote, size }));
        doc.moveDown(0.55);
        break;
      case "item": {
        const left = 16 * (block.depth + 1);
        this.#need(size * 2);
        const { y } = doc;
        doc
          .font("regular")
          .fontSize(size)
          .fillColor(ink)
          .text(block.mark, margin + left - 16, y, { width: 22, lineBreak: false });
        doc.y = y;
        this.#runs(block.runs.length === 0 ? [{ text: " " }] : block.runs, { left: left + 6, size });
        doc.moveDown(0.2);
        break;
      }
      case "code":
        this.#code(block.text);
        break;
      case "table":
        this.#table(block.header, block.rows);
        break;
      case "image":
        this.#image(block.path, block.caption);
        break;
      default:
        this.#need(16);
        doc
          .moveDown(0.4)
          .moveTo(margin, doc.y)
          .lineTo(margin + this.#width, doc.y)
          .strokeColor("#bbbbbb")
          .lineWidth(0.6)
          .stroke();
        doc.moveDown(0.6);
    }
  }

  #quoted(depth: number, write: () => void): void {
    const { y, page } = this.#doc;
    write();
    if (depth === 0 || this.#doc.page !== page) return;
    this.#doc
      .moveTo(margin + 6, y)
      .lineTo(margin + 6, this.#doc.y)
      .strokeColor("#bbbbbb")
      .lineWidth(2)
      .stroke();
  }

  #runs(runs: readonly Run[], { left, size: own }: { left: number; size: number }): void {
    const doc = this.#doc;
    doc.x = margin + left;
    const width = this.#width - left;
    const shown = runs.filter(({ text }) => text !== "");
    for (const [at, run] of shown.entries()) {
      doc.font(fontOf(run)).fontSize(run.code ? own * 0.92 : own);
      doc.fillColor(run.link === undefined ? ink : "#0b57a4");
      doc.text(run.text, {
        width,
        lineGap: 2.5,
        continued: at < shown.length - 1,
        link: run.link ?? null,
        underline: run.link !== undefined,
        strike: run.strike === true,
      });
    }
    doc.x = margin;
  }

  #code(text: string): void {
    const doc = this.#doc;
    doc.moveDown(0.2);
    for (const line of text.split("\n")) {
      doc.font("mono").fontSize(8.6);
      const height = doc.heightOfString(line || " ", { width: this.#width - 16 }) + 2;
      this.#need(height);
      const { y } = doc;
      doc.rect(margin, y, this.#width, height).fill("#f3f3f0");
      doc.fillColor(ink).text(line || " ", margin + 8, y + 1, { width: this.#width - 16 });
      doc.y = y + height;
    }
    doc.x = margin;
    doc.moveDown(0.8);
  }

  #table(header: readonly Run[][], rows: readonly Run[][][]): void {
    const doc = this.#doc;
    const columns = Math.max(1, header.length);
    const widths = columnWidths(
      [header, ...rows].map((row) => row.map(textOf)),
      columns,
      this.#width,
    );
    const heightOf = (cells: readonly Run[][], isHead: boolean) => {
      doc.font(isHead ? "bold" : "regular").fontSize(9.2);
      return (
        Math.max(
          ...widths.map((width, at) =>
            doc.heightOfString(textOf(cells[at] ?? []) || " ", { width: width - 10 }),
          ),
        ) + 9
      );
    };
    const draw = (cells: readonly Run[][], isHead: boolean) => {
      const height = Math.min(heightOf(cells, isHead), this.#bottom - margin);
      const { y } = doc;
      if (isHead) doc.rect(margin, y, this.#width, height).fill("#ececE8");
      let x = margin;
      for (const [at, width] of widths.entries()) {
        doc
          .font(isHead ? "bold" : "regular")
          .fontSize(9.2)
          .fillColor(ink);
        doc.text(textOf(cells[at] ?? []), x + 5, y + 4.5, {
          width: width - 10,
          height: height - 6,
          ellipsis: true,
        });
        x += width;
      }
      doc
        .moveTo(margin, y + height)
        .lineTo(margin + this.#width, y + height)
        .strokeColor("#c8c8c2")
        .lineWidth(0.5)
        .stroke();
      doc.x = margin;
      doc.y = y + height;
    };
    this.#need(heightOf(header, true) + heightOf(rows[0] ?? [], false));
    draw(header, true);
    for (const row of rows) {
      if (doc.y + heightOf(row, false) > this.#bottom) {
        doc.addPage();
        draw(header, true);
      }
      draw(row, false);
    }
    doc.moveDown(0.8);
  }

  #image(path: string, caption: string): void {
    const doc = this.#doc;
    const picture = this.#writing.pictures.get(path);
    if (picture === undefined) {
      this.#runs([{ text: `[${caption || path}]`, italic: true }], { left: 0, size });
      return;
    }
    const { width, height } = fitted(picture, this.#width, 420);
    this.#need(height + 24);
    doc.image(Buffer.from(picture.data), margin, doc.y, { width, height });
    doc.y += height + 6;
    if (caption !== "") this.#runs([{ text: caption, italic: true }], { left: 0, size: 9 });
    doc.moveDown(0.8);
  }
}

function fontOf({ bold, italic, code }: Run): FontName {
  if (code) return "mono";
  if (bold && italic) return "boldItalic";
  return bold ? "bold" : italic ? "italic" : "regular";
}

/** Columns by their longest text, none below a part of the others' share. */
function columnWidths(rows: readonly (readonly string[])[], columns: number, width: number): number[] {
  const longest = Array.from({ length: columns }, (_, at) =>
    Math.min(60, Math.max(4, ...rows.map((row) => row[at]?.length ?? 0))),
  );
  const least = width / columns / 2.5;
  const sum = longest.reduce((total, each) => total + each, 0);
  const free = width - least * columns;
  return longest.map((each) => least + (free * each) / sum);
}
