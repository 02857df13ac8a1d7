import { type ColumnNeed, columnWidths, sum } from "./column-widths.ts";
import type { Inline, TableBlock } from "./markdown-blocks.ts";
import { breakLines, drawLine, measure } from "./pdf-lines.ts";
import { isReadFromRight, type Line } from "./pdf-order.ts";
import { makeRoom, moveOn, type Sheet } from "./pdf-sheet.ts";

const colours = { line: "#c9ced6", head: "#eceff3" };
/** Padding above and below the text of a cell, points. */
const padding = 3.5;
/** Maximum and minimum font size, points. */
const sizes = { max: 9, min: 6 };

interface Row {
  cells: Line[][];
  /** Height of one line, points. */
  lineHeight: number;
  isHead: boolean;
}

/** The layout of a table before it is written. */
interface Layout {
  sheet: Sheet;
  widths: readonly number[];
  /** Padding at the sides of a cell's text, points. */
  side: number;
  align: TableBlock["align"];
  head: Row;
  rows: readonly Inline[][][];
  rowOf(cells: readonly Inline[][], isHead?: boolean): Row;
}

/** Writes a table; repeats the header on each page and continues long rows on the next page. */
export function writeTable(sheet: Sheet, table: TableBlock): void {
  if (table.header.length === 0) return;
  const layout = layOut(sheet, table);
  const { head, sheet: own } = layout;
  makeRoom(own, startOf(layout));
  writeRow(layout, head);
  const isSmall = heightOf(head) < pageOf(sheet) / 3;
  for (const cells of layout.rows) {
    const row = layout.rowOf(cells);
    const fits = heightOf(row) <= pageOf(sheet) / 2;
    if (fits && makeRoom(own, heightOf(row)) && isSmall) writeRow(layout, head);
    writeRow(layout, row, isSmall ? head : undefined);
  }
  sheet.y = own.y;
}

/** Minimum height of a table's beginning on one page: the header, and the first row or its beginning. */
export function startOfTable(sheet: Sheet, table: TableBlock): number {
  return table.header.length === 0 ? 0 : startOf(layOut(sheet, table));
}

function startOf({ sheet, head, rows: [first = []], rowOf }: Layout): number {
  const row = heightOf(rowOf(first));
  return heightOf(head) + (row <= pageOf(sheet) / 2 ? row : 2 * head.lineHeight);
}

/** A table that is read from right to left has its first column on the right. */
function layOut(sheet: Sheet, { header, rows, align }: TableBlock): Layout {
  const fromRight = isReadFromRight(header.flat());
  const turned = <T>(cells: readonly T[]): T[] => (fromRight ? cells.toReversed() : [...cells]);
  const shown = { header: turned(header), rows: rows.map(turned) };
  const side = header.length > 7 ? 3 : 5;
  const largest = needsOf({ ...sheet, size: sizes.max }, shown);
  const size = sizeOf(largest, side, sheet);
  const setting = { ...sheet, size };
  const needed = (width: number) => (width * size) / sizes.max + 2 * side + 1;
  const needs = largest.map(({ word, all }) => ({ word: needed(word), all: needed(all) }));
  const widths = columnWidths(needs, sheet.width);
  const left = sheet.left + (fromRight ? sheet.width - sum(widths) : 0);
  const rowOf = (cells: readonly Inline[][], isHead = false): Row => {
    const own = { ...setting, bold: isHead };
    const broken = cells.map((cell, at) => breakLines(cell, inside(widths[at], side), own));
    return { cells: broken, lineHeight: broken[0]?.[0]?.height ?? size, isHead };
  };
  const head = rowOf(shown.header, true);
  return { sheet: { ...setting, left }, widths, side, align: turned(align), head, rows: shown.rows, rowOf };
}

/** Reduces the font size if many columns would have to break words; a few long words are broken anyway. */
function sizeOf(needs: readonly ColumnNeed[], side: number, { width }: Sheet): number {
  const room = width - needs.length * (2 * side + 1);
  const words = sum(needs.map(({ word }) => Math.min(word, width / 6)));
  const size = Math.floor((2 * sizes.max * room) / words) / 2;
  return Math.max(sizes.min, Math.min(sizes.max, size));
}

function needsOf(sheet: Sheet, { header, rows }: Pick<TableBlock, "header" | "rows">): ColumnNeed[] {
  const first = rows.slice(0, 200);
  return header.map((head, at) => {
    const cells = [measure(head, sheet.width, { ...sheet, bold: true })];
    for (const row of first) cells.push(measure(row[at] ?? [], sheet.width, sheet));
    return {
      word: Math.max(...cells.map(({ word }) => word)),
      all: Math.max(...cells.map(({ all }) => all)),
    };
  });
}

/** Writes as much of a row as fits, and the rest below the header on the next page. */
function writeRow(layout: Layout, row: Row, head?: Row): void {
  const { sheet } = layout;
  const lineCount = Math.max(...row.cells.map((lines) => lines.length));
  const room = Math.floor((sheet.bottom - sheet.y - 2 * padding) / row.lineHeight);
  if (lineCount > room) {
    const isEmpty =
      sheet.y === sheet.top || (head !== undefined && sheet.y <= sheet.top + heightOf(head) + 1);
    const now = room < 1 ? 0 : room;
    if (now > 0 || !isEmpty) {
      if (now > 0) drawRow(layout, slice(row, 0, now));
      sheet.document.addPage();
      sheet.y = sheet.top;
      if (head !== undefined) drawRow(layout, head);
      writeRow(layout, slice(row, now), head);
      return;
    }
  }
  drawRow(layout, row);
}

function slice(row: Row, from: number, to?: number): Row {
  return { ...row, cells: row.cells.map((lines) => lines.slice(from, to)) };
}

function drawRow({ sheet, widths, side, align }: Layout, row: Row): void {
  const { document } = sheet;
  const height = heightOf(row);
  const { y } = sheet;
  moveOn(sheet, height);
  let x = sheet.left;
  for (const [at, lines] of row.cells.entries()) {
    const width = widths[at] ?? 0;
    document.lineWidth(0.5);
    if (row.isHead) document.rect(x, y, width, height).fillAndStroke(colours.head, colours.line);
    else document.rect(x, y, width, height).stroke(colours.line);
    for (const [index, line] of lines.entries()) {
      const place = { x: x + side, y: y + padding + index * row.lineHeight, width: inside(width, side) };
      drawLine(line, { ...place, align: align[at] ?? "left" }, { ...sheet, bold: row.isHead });
    }
    x += width;
  }
}

function heightOf({ cells, lineHeight }: Row): number {
  return Math.max(1, ...cells.map((lines) => lines.length)) * lineHeight + 2 * padding;
}

function pageOf({ top, bottom }: Sheet): number {
  return bottom - top;
}

function inside(width = 0, side = 0): number {
  return Math.max(4, width - 2 * side);
}
