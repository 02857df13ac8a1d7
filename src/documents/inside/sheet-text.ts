import type { Table } from "../../core/ports/documents.ts";
import type { BoundedText } from "./opened-document.ts";

/** Rows of a table that are kept in addition to its text. */
const firstRows = 20;
/** Maximum characters kept of a cell of these rows, and of these rows together. */
const maxCell = 500;
const maxFirstCharacters = 100_000;

/**
 * Writes a sheet as its name and lines of CSV, followed by notes on its formulas, and returns its table. Empty rows and empty cells at the
 * ends of rows are left out. Undefined for an empty sheet.
 */
export function writeSheet(
  text: BoundedText,
  name: string,
  rows: Iterable<readonly string[]>,
  notes: readonly string[] = [],
): Table | undefined {
  let count = 0;
  const kept: string[][] = [];
  for (const row of rows) {
    const cells = row.slice(0, row.findLastIndex((cell) => cell.trim() !== "") + 1);
    if (cells.length === 0) continue;
    if (count === 0) text.line(`--- ${name} ---`);
    if (count <= firstRows) kept.push(cells);
    text.line(cells.map(csvCell).join(","));
    count += 1;
  }
  if (count === 0) return undefined;
  if (notes.length > 0) text.line(`--- formulas of ${name} ---\n${notes.join("\n")}`);
  text.line("");
  return { name, ...makeTable(kept, count - 1), notes };
}

/** A table of its first row and the following ones, cut to what is kept. */
export function makeTable(head: readonly (readonly string[])[], rows: number): Omit<Table, "name"> {
  let room = maxFirstCharacters;
  const cut = (cells: readonly string[]) =>
    cells.map((cell) => {
      const part = cell.length <= maxCell ? cell : `${cell.slice(0, maxCell).toWellFormed()}…`;
      room -= part.length + 1;
      return part;
    });
  const columns = cut(head[0] ?? []);
  const first: string[][] = [];
  for (const row of head.slice(1, firstRows + 1)) {
    const cells = cut(row);
    if (room < 0) break;
    first.push(cells);
  }
  return { columns, rows, first };
}

/** RFC 4180. */
function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
