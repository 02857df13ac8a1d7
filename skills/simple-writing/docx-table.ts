import * as docx from "docx";
import { directionOf, runsOf } from "./docx-words.ts";
import { type Inline, type TableBlock, type Text, wordsOf } from "./markdown-blocks.ts";
import { isReadFromRight } from "./pdf-order.ts";

/** A table whose head comes back on each page; measures are twentieths of a point. */
export function tableOf(
  table: TableBlock,
  { indent, width }: { indent: number; width: number },
  footnotes: Text["footnotes"],
): docx.Table {
  const widths = columnWidths(table, width);
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
          children: runsOf(inlines, footnotes, isHead),
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

/** By how much stands in them: room for the longest word, up to a point, and more for what is longer. */
function columnWidths({ header, rows }: TableBlock, width: number): number[] {
  const shares = header.map((head, at) => {
    const texts = [head, ...rows.slice(0, 200).map((row) => row[at] ?? [])].map(wordsOf);
    const word = Math.max(...texts.map((text) => Math.max(...text.split(/\s+/).map((one) => one.length))));
    const all = Math.max(...texts.map((text) => text.length));
    return Math.max(Math.min(word, 24) + 2, Math.min(Math.sqrt(all) * 3.2, 40));
  });
  const sum = shares.reduce((total, one) => total + one, 0);
  return shares.map((share) => Math.floor((share / sum) * width));
}
