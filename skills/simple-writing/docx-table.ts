import * as docx from "docx";
import { columnWidths, sum } from "./column-widths.ts";
import { directionOf, isReadFromRight, runsOf } from "./docx-words.ts";
import { type Inline, type TableBlock, type Text, wordsOf } from "./markdown-blocks.ts";

/** A table whose header is repeated on each page; measures are twentieths of a point. */
export function tableOf(
  table: TableBlock,
  { indent, width }: { indent: number; width: number },
  footnotes: Text["footnotes"],
): docx.Table {
  const { widths, size } = layOut(table, width);
  const border = { style: docx.BorderStyle.SINGLE, size: 4, color: "BFC5CE" };
  const cell = (inlines: readonly Inline[], at: number, isHead: boolean) =>
    new docx.TableCell({
      width: { size: widths[at] ?? 0, type: docx.WidthType.DXA },
      margins: { top: 60, bottom: 60, left: 100, right: 100 },
      ...(isHead ? { shading: { type: docx.ShadingType.CLEAR, fill: "ECEFF3" } } : {}),
      children: [
        new docx.Paragraph({
          alignment: docx.AlignmentType[alignments[table.align[at] ?? "left"]],
          spacing: { after: 0, line: 252 },
          ...directionOf(inlines),
          children: runsOf(inlines, footnotes, { isBold: isHead, size }),
        }),
      ],
    });
  const row = (cells: readonly Inline[][], isHead: boolean) =>
    new docx.TableRow({
      ...(isHead ? { tableHeader: true } : {}),
      cantSplit: cells.every((one) => wordsOf(one).length < 1_500),
      children: cells.map((one, at) => cell(one, at, isHead)),
    });
  return new docx.Table({
    width: { size: width, type: docx.WidthType.DXA },
    ...(indent > 0 ? { indent: { size: indent, type: docx.WidthType.DXA } } : {}),
    ...(isReadFromRight(table.header.flat()) ? { visuallyRightToLeft: true } : {}),
    columnWidths: widths,
    borders: {
      top: border,
      bottom: border,
      left: border,
      right: border,
      insideHorizontal: border,
      insideVertical: border,
    },
    rows: [row(table.header, true), ...table.rows.map((cells) => row(cells, false))],
  });
}

const alignments = { left: "START", center: "CENTER", right: "END" } as const;

/** Font sizes by number of columns, half points. */
const small = [
  { from: 13, size: 13 },
  { from: 8, size: 16 },
  { from: 0, size: 20 },
];

/** Estimates widths, because the fonts are only known to Word: double for East Asian characters, and a margin for all. */
function layOut({ header, rows }: TableBlock, width: number): { widths: number[]; size: number } {
  const { size = 20 } = small.find(({ from }) => header.length >= from) ?? {};
  const lengthOf = (text: string) =>
    (text.length + (text.match(/[\u2e80-\uffdc]/g)?.length ?? 0)) * size * 5.7;
  const needs = header.map((head, at) => {
    const texts = [head, ...rows.slice(0, 200).map((row) => row[at] ?? [])].map(wordsOf);
    const words = texts.flatMap((text) => text.split(/\s+/));
    const widest = (found: string[]) => Math.min(Math.max(...found.map(lengthOf)), width) + 230;
    return { word: widest(words), all: widest(texts) };
  });
  const widths = columnWidths(needs, width);
  const rest = width - sum(widths);
  return { widths: widths.map((one) => Math.floor(one + rest / widths.length)), size };
}
