import type { Table } from "../../core/ports/documents.ts";
import { openZip, refuseManyEntries, storedArchive } from "./open-zip.ts";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  UnreadableDocument,
} from "./opened-document.ts";
import { writeSheet } from "./sheet-text.ts";

/** The last row and column of the format (ECMA-376 part 1, 18.2.27 and Excel's specifications). */
const lastRow = 1_048_576;
/** Maximum cells of the rectangle that a sheet spans: the library creates all of them. */
const maxCells = 5_000_000;

type Cell = string | number | boolean | Date | null;

/** All sheets of an .xlsx file, as CSV under their names, and as tables. */
export async function readSpreadsheet({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const zip = await openZip(data, limits);
  refuseManyEntries(zip, limits);
  const files = await zip.files((name) => name.endsWith(".xml") || name.endsWith(".rels"));
  for (const [name, content] of files) {
    if (!name.endsWith("haredStrings.xml")) refuseHugeSheet(content.toString("utf8"));
  }
  const { default: readSheets } = await import("read-excel-file/universal");
  const sheets = await readSheets((await storedArchive(files)).buffer, { trim: false, parseNumber });
  const text = new BoundedText(limits.textCharacters);
  const tables: Table[] = [];
  for (const { sheet, data: rows } of sheets) {
    const table = writeSheet(text, sheet, asText(rows as readonly (readonly Cell[])[]));
    if (table !== undefined) tables.push(table);
  }
  return { text, tables };
}

/** Whole numbers beyond 2^53, such as ids, keep their digits; a fraction is the double that spreadsheets calculate with. */
function parseNumber(text: string): number | string {
  const value = Number(text);
  return Number.isNaN(value) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) ? text : value;
}

function* asText(rows: readonly (readonly Cell[])[]): Generator<string[]> {
  for (const row of rows) yield row.map(cellText);
}

function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (!(cell instanceof Date)) return String(cell);
  const [day, time] = cell.toISOString().split("T");
  return time === "00:00:00.000Z" ? `${day}` : `${day} ${time?.slice(0, 8)}`;
}

/** The library fills every gap: one cell in the last corner would become 17 thousand million. */
function refuseHugeSheet(xml: string): void {
  let rows = 0;
  let columns = 0;
  for (const [, number] of xml.matchAll(/<(?:\w+:)?row\s(?:[^>]*?\s)?r=["'](\d{1,12})["']/g)) {
    rows = Math.max(rows, Number(number));
  }
  // Without self-closing ones, which are empty and cause no gaps.
  for (const [, letters, number] of xml.matchAll(
    /<(?:\w+:)?c\s(?:[^>]*?\s)?r=["']([A-Z]{1,8})(\d{1,12})["'][^>]*(?<!\/)>/g,
  )) {
    columns = Math.max(columns, columnNumber(letters ?? ""));
    rows = Math.max(rows, Number(number));
  }
  if (rows > lastRow || rows * columns > maxCells) {
    throw new UnreadableDocument(
      `A sheet is ${rows.toLocaleString("en-US")} rows high and ${columns.toLocaleString("en-US")} columns wide, too large to be read; send the part that matters, or CSV.`,
    );
  }
}

function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
