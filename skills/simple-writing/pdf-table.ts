import type { Content } from "pdfmake";
import { type ColumnNeed, columnWidths, sum } from "./column-widths.ts";
import type { Inline, TableBlock } from "./markdown-blocks.ts";
import { leading, type PdfWords } from "./pdf-words.ts";

/** Padding above and below the text of a cell, and the width of lines, points. */
const padding = 3.5;
const line = 0.5;
/** Maximum and minimum font size, points. */
const sizes = { max: 9, min: 6 };
/** Rows and heads up to this height are kept whole, points; the library drops what exceeds a page. */
const maxWhole = 220;

/** A table whose header is repeated on each page; rows stay whole unless one is high. `start`: the height of its beginning, points. */
export function tableOf(
  { header, rows, align }: TableBlock,
  words: PdfWords,
  width: number,
): { content: Content; start: number } {
  const side = header.length > 7 ? 3 : 5;
  const largest = needsOf({ header, rows }, words, width);
  const size = sizeOf(largest, side, width);
  const needed = (one: number) => (one * size) / sizes.max + 2 * side + 1;
  const needs = largest.map(({ word, all }) => ({ word: needed(word), all: needed(all) }));
  const widths = columnWidths(needs, width - line).map((one) => Math.max(4, one - 2 * side - line));
  const cells = (row: readonly Inline[][], bold?: true) =>
    row.map((cell, at) => ({
      text: words.inlines(cell, { bold }),
      alignment: align[at] ?? "left",
      fillColor: bold && "#eceff3",
    }));
  const heightOf = (row: readonly Inline[][]) => {
    const lines = row.map((cell, at) => words.measure(cell, { bold: true }, size, widths[at] ?? 0).lines);
    return Math.max(1, ...lines) * size * leading + 2 * padding;
  };
  const heights = [header, ...rows].map(heightOf);
  const [head = 0, first = 0] = heights;
  const isWhole = (height: number) => height <= maxWhole;
  const table = {
    widths,
    headerRows: isWhole(head) ? 1 : 0,
    keepWithHeaderRows: rows.length > 0 && isWhole(head) && isWhole(first) ? 1 : 0,
    dontBreakRows: heights.every(isWhole),
    body: [cells(header, true), ...rows.map((row) => cells(row))],
  };
  const start = Math.min(head, maxWhole) + Math.min(first, maxWhole);
  return { content: { table, fontSize: size, layout: layoutWith(side) }, start };
}

function layoutWith(side: number): Content {
  return {
    hLineWidth: () => line,
    vLineWidth: () => line,
    hLineColor: () => "#c9ced6",
    vLineColor: () => "#c9ced6",
    paddingLeft: () => side,
    paddingRight: () => side,
    paddingTop: () => padding,
    paddingBottom: () => padding,
  };
}

/** Reduces the font size if many columns would have to break words; a few long words are broken anyway. */
function sizeOf(needs: readonly ColumnNeed[], side: number, width: number): number {
  const room = width - needs.length * (2 * side + 1);
  const words = sum(needs.map(({ word }) => Math.min(word, width / 6)));
  const size = Math.floor((2 * sizes.max * room) / words) / 2;
  return Math.max(sizes.min, Math.min(sizes.max, size));
}

function needsOf(
  { header, rows }: Pick<TableBlock, "header" | "rows">,
  words: PdfWords,
  width: number,
): ColumnNeed[] {
  return header.map((head, at) => {
    const cells = [words.measure(head, { bold: true }, sizes.max, width)];
    for (const row of rows.slice(0, 200)) cells.push(words.measure(row[at] ?? [], {}, sizes.max, width));
    return {
      word: Math.max(...cells.map(({ word }) => word)),
      all: Math.max(...cells.map(({ all }) => all)),
    };
  });
}
