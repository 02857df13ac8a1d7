import type { Table } from "../../core/ports/documents.ts";
import { cellName, columnNumber, Formulas } from "./formulas.ts";
import { listedParts, unreadParts } from "./office-parts.ts";
import { openParts, storedArchive } from "./open-zip.ts";
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
export async function readSpreadsheet(document: OpenedDocument): Promise<ReadDocument> {
  const zip = await openParts(document);
  const files = new Map(await zip.files((name) => name.endsWith(".xml") || name.endsWith(".rels")));
  const formulas = new Map<string, Formulas>();
  for (const { name, target } of await listedParts(zip, "xl/workbook.xml", "sheet")) {
    const read = readCells(files.get(target)?.toString("utf8") ?? "");
    files.set(target, Buffer.from(read.xml));
    formulas.set(name, read.formulas);
  }
  const { default: readSheets } = await import("read-excel-file/universal");
  const sheets = await readSheets((await storedArchive(files)).buffer, { trim: false, parseNumber });
  const text = new BoundedText(document.limits.textCharacters);
  const tables: Table[] = [];
  for (const { sheet, data: rows } of sheets) {
    const notes = formulas.get(sheet)?.lines();
    const table = writeSheet(text, sheet, asText(rows as readonly (readonly Cell[])[]), notes);
    if (table !== undefined) tables.push(table);
  }
  const read = /^xl\/(?:workbook|sharedStrings|worksheets\/\w+)\.xml$/i;
  return { text, tables, left_out: unreadParts(zip, read) };
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

/**
 * The cells of a sheet for the library, which reads neither errors nor formulas and fills every gap: one cell in the last corner would
 * become 17 thousand million, and a million empty rows take minutes.
 */
function readCells(xml: string): { xml: string; formulas: Formulas } {
  const formulas = new Formulas();
  const shared = new Map<string, string>();
  let rows = 0;
  let columns = 0;
  const filled = xml
    .replace(/<(?:\w+:)?(?:c|row)(?:\s[^>]*)?\/>/g, "")
    .replace(/<((?:\w+:)?row)(?:\s[^>]*)?>\s*<\/\1>/g, "");
  const cells = filled.replace(
    /<((?:\w+:)?)c(\s[^>]*)>(.*?)<\/\1c>/gs,
    (written, prefix, attributes, content) => {
      const cell = cellOf(attributes, content);
      rows = Math.max(rows, cell.row);
      columns = Math.max(columns, cell.column);
      if (cell.error !== undefined) formulas.addError(cell.error, cellName(cell));
      if (cell.formula !== undefined) {
        const { group } = cell;
        const name = formulas.add(
          { ...cell, formula: cell.formula },
          cell.formula === "=" ? shared.get(group) : undefined,
        );
        if (group !== "") shared.set(group, name);
      }
      const shown = cell.error ?? (cell.isComputed ? undefined : "not computed");
      return shown === undefined
        ? written
        : `<${prefix}c r="${cellName(cell)}" t="str"><${prefix}v>${shown}</${prefix}v></${prefix}c>`;
    },
  );
  if (rows > lastRow || rows * columns > maxCells) {
    throw new UnreadableDocument(
      `A sheet is ${rows.toLocaleString("en-US")} rows high and ${columns.toLocaleString("en-US")} columns wide, too large to be read; send the part that matters, or CSV.`,
    );
  }
  return { xml: cells, formulas };
}

/** A cell (ECMA-376 part 1, 18.3.1.4). Cells that share a formula have a `group`, and only the first has its text after the sign. */
function cellOf(attributes: string, content: string) {
  const [, letters = "", number = 0] = /\sr=["']([A-Z]{1,8})(\d{1,12})["']/.exec(attributes) ?? [];
  const type = /\st=["'](\w+)["']/.exec(attributes)?.[1];
  const [, element, value = ""] = /<((?:\w+:)?v)(?:\s[^>]*)?(?:\/>|>([^<]*)<)/.exec(content) ?? [];
  const [found, given = "", formula = ""] = /<(?:\w+:)?f(\s[^>]*?)?(?:\/>|>([^<]*)<)/.exec(content) ?? [];
  return {
    row: Number(number),
    column: columnNumber(letters),
    error: type === "e" && value !== "" ? value : undefined,
    formula: found === undefined ? undefined : `=${plain(formula)}`,
    group: /\ssi=["'](\d+)["']/.exec(given)?.[1] ?? "",
    isComputed: found === undefined || value !== "" || (type === "str" && element !== undefined),
  };
}

/** Text of XML without its predefined entities. */
function plain(text: string): string {
  const signs = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return Object.entries(signs).reduce((read, [name, sign]) => read.replaceAll(`&${name};`, sign), text);
}
