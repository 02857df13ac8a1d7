import type { Paragraph, ParagraphChild, Table } from "docx";
import type { Block, Run } from "./blocks.ts";
import { fitted, type Writing } from "./document.ts";

type Docx = typeof import("docx");

/** Twentieths of a point. */
const indent = 400;
const pageWidth = 9_000;

/** A Word document with real headings, lists, tables and links. */
export async function makeDocx(writing: Writing): Promise<Uint8Array> {
  const docx = await import("docx");
  const { Document, Footer, Packer, PageNumber, Paragraph, TextRun, AlignmentType } = docx;
  const lists = new Set(
    writing.blocks.flatMap((block) => (block.kind === "item" && block.ordered ? block.list : [])),
  );
  const footer = new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.CENTER,
        children: [
          new TextRun({
            children: [PageNumber.CURRENT, " / ", PageNumber.TOTAL_PAGES],
            size: 18,
            color: "666666",
          }),
        ],
      }),
    ],
  });
  const document = new Document({
    title: writing.title,
    creator: writing.author,
    description: writing.title,
    styles: {
      default: {
        document: {
          run: {
            font: "Calibri",
            size: 22,
            ...(writing.language === undefined ? {} : { language: { value: writing.language } }),
          },
          paragraph: { spacing: { after: 140, line: 276 } },
        },
      },
    },
    numbering: { config: [...lists].map((list) => numberingOf(docx, list)) },
    sections: [
      {
        footers: { default: footer },
        children: writing.blocks.flatMap((block) => render(docx, block, writing)),
      },
    ],
  });
  return new Uint8Array(await Packer.toBuffer(document));
}

function numberingOf({ LevelFormat, AlignmentType }: Docx, list: number) {
  const levels = Array.from({ length: 9 }, (_, level) => ({
    level,
    format: LevelFormat.DECIMAL,
    text: `%${level + 1}.`,
    alignment: AlignmentType.START,
    style: { paragraph: { indent: { left: indent * (level + 2), hanging: indent } } },
  }));
  return { reference: `list-${list}`, levels };
}

function render(docx: Docx, block: Block, writing: Writing): (Paragraph | Table)[] {
  switch (block.kind) {
    case "heading":
      return [headingOf(docx, block)];
    case "paragraph":
      return [paragraphOf(docx, block)];
    case "item":
      return [itemOf(docx, block)];
    case "code":
      return codeOf(docx, block.text);
    case "table":
      return [tableOf(docx, block), new docx.Paragraph({ children: [] })];
    case "image":
      return imageOf(docx, block, writing);
    default: {
      const bottom = { style: docx.BorderStyle.SINGLE, size: 6, color: "BBBBBB", space: 4 };
      return [new docx.Paragraph({ border: { bottom }, children: [] })];
    }
  }
}

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

function headingOf(docx: Docx, { level, runs }: BlockOf<"heading">): Paragraph {
  const { HEADING_1, HEADING_2, HEADING_3, HEADING_4, HEADING_5, HEADING_6 } = docx.HeadingLevel;
  const heading = [HEADING_1, HEADING_2, HEADING_3, HEADING_4, HEADING_5][level - 1] ?? HEADING_6;
  return new docx.Paragraph({
    heading,
    spacing: { before: 280, after: 120 },
    keepNext: true,
    children: inline(docx, runs),
  });
}

function paragraphOf(docx: Docx, { quote, runs }: BlockOf<"paragraph">): Paragraph {
  const left = { style: docx.BorderStyle.SINGLE, size: 18, color: "BBBBBB", space: 12 };
  const quoted = quote > 0 ? { indent: { left: indent * quote }, border: { left } } : {};
  return new docx.Paragraph({ ...quoted, children: inline(docx, runs) });
}

function itemOf(docx: Docx, { depth, mark, ordered, list, runs }: BlockOf<"item">): Paragraph {
  const level = Math.min(8, depth);
  const isBox = mark === "☐" || mark === "☑";
  const box = isBox ? [new docx.TextRun({ text: `${mark} ` })] : [];
  const numbered = { numbering: { reference: `list-${list}`, level } };
  const plain = isBox ? { indent: { left: indent * (level + 1) } } : { bullet: { level } };
  return new docx.Paragraph({
    ...(ordered ? numbered : plain),
    spacing: { after: 60 },
    children: [...box, ...inline(docx, runs)],
  });
}

function codeOf(docx: Docx, text: string): Paragraph[] {
  const shading = { type: docx.ShadingType.CLEAR, fill: "F3F3F0" };
  const run = (line: string) =>
    new docx.TextRun({ text: line === "" ? " " : line, font: "Consolas", size: 19 });
  return text
    .split("\n")
    .map((line) => new docx.Paragraph({ spacing: { after: 0, line: 240 }, shading, children: [run(line)] }));
}

function imageOf(docx: Docx, { path, caption }: BlockOf<"image">, { pictures }: Writing): Paragraph[] {
  const words = (text: string) =>
    new docx.Paragraph({ children: [new docx.TextRun({ text, italics: true, size: 19, color: "555555" })] });
  const picture = pictures.get(path);
  if (picture === undefined) return [words(`[${caption || path}]`)];
  const { kind: type, data } = picture;
  const altText = { name: "picture", title: caption, description: caption };
  const image = new docx.ImageRun({ type, data, transformation: fitted(picture, 600, 700), altText });
  const shown = new docx.Paragraph({ spacing: { after: 60 }, children: [image] });
  return caption === "" ? [shown] : [shown, words(caption)];
}

function tableOf(docx: Docx, { header, rows }: Extract<Block, { kind: "table" }>) {
  const { Table, TableRow, TableCell, Paragraph, WidthType, ShadingType } = docx;
  const columns = Math.max(1, header.length);
  const width = Math.floor(pageWidth / columns);
  const cell = (runs: Run[], isHead: boolean) =>
    new TableCell({
      width: { size: width, type: WidthType.DXA },
      margins: { top: 60, bottom: 60, left: 100, right: 100 },
      ...(isHead ? { shading: { type: ShadingType.CLEAR, fill: "ECECE8" } } : {}),
      children: [
        new Paragraph({
          spacing: { after: 0 },
          children: inline(docx, isHead ? runs.map((run) => ({ ...run, bold: true })) : runs),
        }),
      ],
    });
  const row = (cells: Run[][], isHead: boolean) =>
    new TableRow({
      tableHeader: isHead,
      cantSplit: true,
      children: Array.from({ length: columns }, (_, at) => cell(cells[at] ?? [], isHead)),
    });
  return new Table({
    width: { size: pageWidth, type: WidthType.DXA },
    columnWidths: Array.from({ length: columns }, () => width),
    rows: [row(header, true), ...rows.map((cells) => row(cells, false))],
  });
}

function inline(docx: Docx, runs: readonly Run[]): ParagraphChild[] {
  return runs.flatMap((run): ParagraphChild[] => {
    const parts = run.text
      .split("\n")
      .map((line, at) => new docx.TextRun({ ...styleOf(run), text: line, ...(at > 0 ? { break: 1 } : {}) }));
    return run.link === undefined ? parts : [new docx.ExternalHyperlink({ link: run.link, children: parts })];
  });
}

function styleOf({ bold, italic, strike, code, link }: Run) {
  const own = code ? { font: "Consolas", size: 20 } : {};
  return {
    bold: bold === true,
    italics: italic === true,
    strike: strike === true,
    ...own,
    ...(link === undefined ? {} : { style: "Hyperlink" }),
  };
}
