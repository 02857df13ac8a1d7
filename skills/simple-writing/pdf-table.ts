import type { Inline, TableBlock } from "./markdown-blocks.ts";
import { breakLines, drawLine, measure } from "./pdf-lines.ts";
import type { Line } from "./pdf-order.ts";
import { makeRoom, moveOn, type Sheet } from "./pdf-sheet.ts";

/** Between a cell's edge and its words, points. */
const padding = { x: 5, y: 3.5 };
const colours = { line: "#c9ced6", head: "#eceff3" };

interface Row {
  cells: Line[][];
  /** Of one line. */
  lineHeight: number;
  isHead: boolean;
}

/** A table whose head comes back on each page. Rows that are longer than a page go on on the next one. */
export function writeTable(sheet: Sheet, table: TableBlock): void {
  const columns = table.header.length;
  if (columns === 0) return;
  const size = columns > 12 ? 6.5 : columns > 7 ? 7.5 : Math.min(9, sheet.size);
  const setting = { ...sheet, size };
  const widths = columnWidths(setting, table);
  const rowOf = (cells: readonly Inline[][], isHead: boolean): Row => {
    const own = { ...setting, bold: isHead };
    const broken = cells.map((cell, at) => breakLines(cell, inside(widths[at]), own));
    return { cells: broken, lineHeight: broken[0]?.[0]?.height ?? size, isHead };
  };
  const head = rowOf(table.header, true);
  const pen: Pen = { sheet: setting, widths, align: table.align };
  makeRoom(setting, heightOf(head) + 2 * head.lineHeight);
  writeRow(pen, head);
  const isSmall = heightOf(head) < (sheet.bottom - sheet.top) / 3;
  for (const cells of table.rows) {
    const row = rowOf(cells, false);
    const fits = heightOf(row) <= (sheet.bottom - sheet.top) / 2;
    if (fits && makeRoom(setting, heightOf(row)) && isSmall) writeRow(pen, head);
    writeRow(pen, row, isSmall ? head : undefined);
  }
  sheet.y = setting.y;
}

interface Pen {
  sheet: Sheet;
  widths: readonly number[];
  align: TableBlock["align"];
}

/** A row, as much of it as fits; the rest below the head on the next page. */
function writeRow(pen: Pen, row: Row, head?: Row): void {
  const { sheet } = pen;
  const { lineHeight } = row;
  const most = Math.max(...row.cells.map((lines) => lines.length));
  const room = Math.floor((sheet.bottom - sheet.y - 2 * padding.y) / lineHeight);
  if (most > room) {
    const isEmpty =
      sheet.y === sheet.top || (head !== undefined && sheet.y <= sheet.top + heightOf(head) + 1);
    const now = room < 1 ? 0 : room;
    if (now > 0 || !isEmpty) {
      if (now > 0) drawRow(pen, slice(row, 0, now));
      sheet.document.addPage();
      sheet.y = sheet.top;
      if (head !== undefined) drawRow(pen, head);
      writeRow(pen, slice(row, now), head);
      return;
    }
  }
  drawRow(pen, row);
}

function slice(row: Row, from: number, to?: number): Row {
  return { ...row, cells: row.cells.map((lines) => lines.slice(from, to)) };
}

function drawRow({ sheet, widths, align }: Pen, row: Row): void {
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
      const place = { x: x + padding.x, y: y + padding.y + index * row.lineHeight, width: inside(width) };
      drawLine(line, { ...place, align: align[at] ?? "left" }, { ...sheet, bold: row.isHead });
    }
    x += width;
  }
}

function heightOf({ cells, lineHeight }: Row): number {
  return Math.max(...cells.map((lines) => lines.length)) * lineHeight + 2 * padding.y;
}

function inside(width = 0): number {
  return Math.max(4, width - 2 * padding.x);
}

/** As wide as the words need, where there is room; else the longest words whole, and the rest by how much there is to say. */
function columnWidths(sheet: Sheet, table: TableBlock): number[] {
  const rows = table.rows.slice(0, 200);
  const around = 2 * padding.x + 1;
  const needs = table.header.map((head, at) => {
    const cells = [measure(head, sheet.width, { ...sheet, bold: true })];
    for (const row of rows) cells.push(measure(row[at] ?? [], sheet.width, sheet));
    const word = Math.max(...cells.map((cell) => cell.word)) + around;
    return { word, all: Math.max(...cells.map((cell) => cell.all)) + around };
  });
  const isShort = shortOnes(
    needs.map(({ all }) => all),
    sheet.width,
  );
  const least = needs.map(({ word, all }, at) => (isShort[at] ? all : word));
  const words = capped(least, sheet.width);
  const wishes = needs.map(({ all }, at) =>
    isShort[at] ? 0 : Math.sqrt(Math.max(0, all - (words[at] ?? 0))),
  );
  const rest = sheet.width - sum(words);
  return words.map((word, at) => word + (sum(wishes) === 0 ? 0 : ((wishes[at] ?? 0) / sum(wishes)) * rest));
}

/** Which columns need no more than their share of the room, that others leave included: they are not broken. */
function shortOnes(widths: readonly number[], room: number): boolean[] {
  const short = widths.map(() => false);
  for (;;) {
    const others = widths.filter((_, at) => !short[at]);
    const taken = sum(widths.filter((_, at) => short[at]));
    const share = (room - taken) / Math.max(1, others.length);
    const next = widths.findIndex((width, at) => !short[at] && width <= share);
    if (next < 0) return short;
    short[next] = true;
  }
}

/** The widest made narrower, until all have room. */
function capped(widths: readonly number[], room: number): number[] {
  let low = 0;
  let high = Math.max(...widths);
  if (sum(widths) <= room) return [...widths];
  for (let round = 0; round < 30; round += 1) {
    const cap = (low + high) / 2;
    if (sum(widths.map((width) => Math.min(width, cap))) > room) high = cap;
    else low = cap;
  }
  return widths.map((width) => Math.min(width, low));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
