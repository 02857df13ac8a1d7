import type { Table } from "../../core/ports/documents.ts";
import { cellName, Formulas } from "./formulas.ts";
import { unreadParts } from "./office-parts.ts";
import { openParts } from "./open-zip.ts";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  UnreadableDocument,
} from "./opened-document.ts";
import { parseXml } from "./parse-xml.ts";
import { writeSheet } from "./sheet-text.ts";

/** Maximum cells of all sheets, with repetitions expanded. */
const maxCells = 5_000_000;

/** Text, sheets and slides of OpenDocument files (OpenDocument 1.3 part 3). */
export async function readOpenDocument(document: OpenedDocument): Promise<ReadDocument> {
  const zip = await openParts(document);
  if ((await zip.text("META-INF/manifest.xml"))?.includes("encryption-data")) {
    throw new UnreadableDocument("It is protected with a password; remove it and send it again.");
  }
  const content = await zip.text("content.xml");
  if (content === undefined) throw new UnreadableDocument("It is damaged: it has no content; send it again.");
  const text = new BoundedText(document.limits.textCharacters);
  const writer = new ContentWriter(text);
  await parseXml(content, writer);
  const hasHeaders = /<style:(?:header|footer)\b/.test((await zip.text("styles.xml")) ?? "");
  return {
    text,
    tables: writer.tables.length === 0 ? undefined : writer.tables,
    left_out: [
      ...unreadParts(zip, /^(?:content\.xml|mimetype)$/),
      ...writer.left_out,
      ...(hasHeaders ? ["headers and footers"] : []),
    ],
  };
}

/** Elements whose text does not belong to the document's: comments of authors, deleted text, a shape's description, rubies. */
const unread = new Set(["annotation", "tracked-changes", "title", "desc", "ruby-text", "forms"]);
/** Those that a reader of the document may miss. */
const missed = new Map([
  ["annotation", "comments"],
  ["tracked-changes", "deleted text"],
  ["form", "form fields"],
]);

/** A table that is being read. Repeated cells and rows are stored once, with their count. */
interface Grid {
  name: string;
  rows: { cells: string[]; times: number }[];
  rowTimes: number;
  row: { cell: string; times: number }[];
  cellTimes: number;
  formulas: Formulas;
  /** The cell that is being read, counted from 1. */
  place: { row: number; column: number };
  /** Its formula; empty if it has none. */
  formula: string;
}

/** Converts events of `content.xml` to lines of text and tables. */
class ContentWriter {
  readonly tables: Table[] = [];
  readonly left_out = new Set<string>();
  readonly #text: BoundedText;
  readonly #grids: Grid[] = [];
  #line = "";
  #unread = 0;
  #paragraphs = 0;
  #lists = 0;
  #slides = 0;
  #cells = 0;
  #inSpreadsheet = false;

  constructor(text: BoundedText) {
    this.#text = text;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const what = missed.get(name);
    if (what !== undefined) this.left_out.add(what);
    if (unread.has(name)) this.#unread += 1;
    else if (name === "spreadsheet") this.#inSpreadsheet = true;
    else if (name === "list") this.#lists += 1;
    else if (name === "page") this.#startSlide();
    else if (name === "p" || name === "h") this.#startParagraph(name, attributes);
    else if (name === "table") this.#startTable(attributes["table:name"] ?? "");
    else if (this.#paragraphs > 0 && name in spaces) this.#space(name, attributes["text:c"]);
    else this.#startInTable(name, attributes);
  }

  text(text: string): void {
    // Outside of paragraphs there are only line breaks of the XML.
    if (this.#unread === 0 && this.#paragraphs > 0) this.#line += text.replace(/\s+/g, " ");
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread -= 1;
    else if (name === "list") this.#lists -= 1;
    else if (name === "p" || name === "h") this.#endParagraph();
    else if (name === "table") this.#endTable();
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
  }

  #startSlide(): void {
    this.#slides += 1;
    this.#text.line(`${this.#slides === 1 ? "" : "\n"}--- slide ${this.#slides} ---`);
  }

  #startParagraph(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#paragraphs += 1;
    if (this.#grids.length > 0 || this.#paragraphs > 1) return;
    if (name === "h") this.#line += `${"#".repeat(times(attributes["text:outline-level"], 6))} `;
    else if (this.#lists > 0) this.#line += `${"  ".repeat(Math.min(this.#lists, 10) - 1)}- `;
  }

  #endParagraph(): void {
    this.#paragraphs -= 1;
    if (this.#unread > 0) return;
    if (this.#grids.length > 0 || this.#paragraphs > 0) this.#line += " ";
    else this.#flush();
  }

  #flush(): void {
    this.#text.line(this.#line.trimEnd());
    this.#line = "";
  }

  #space(name: string, count: string | undefined): void {
    this.#line += (spaces[name] ?? "").repeat(times(count, 100));
  }

  #startTable(name: string): void {
    const start = { rows: [], rowTimes: 1, row: [], cellTimes: 1, place: { row: 1, column: 1 }, formula: "" };
    this.#grids.push({ name, formulas: new Formulas(), ...start });
  }

  #startInTable(name: string, attributes: Readonly<Record<string, string>>): void {
    const grid = this.#grids.at(-1);
    if (grid === undefined) return;
    if (name === "table-row") grid.rowTimes = times(attributes["table:number-rows-repeated"], maxCells);
    else if (name === "table-cell" || name === "covered-table-cell") {
      grid.cellTimes = times(attributes["table:number-columns-repeated"], maxCells);
      grid.formula = plainFormula(attributes["table:formula"] ?? "");
    }
  }

  #endCell(): void {
    const grid = this.#grids.at(-1);
    if (grid === undefined) return;
    const { place, formula, formulas, cellTimes } = grid;
    const value = this.#line.trim();
    if (formula !== "") formulas.add({ ...place, formula, isComputed: value !== "" });
    if (/^(?:#[A-Z]|Err:)/.test(value) && formula !== "") formulas.addError(value, cellName(place));
    grid.row.push({ cell: formula !== "" && value === "" ? "not computed" : value, times: cellTimes });
    place.column += cellTimes;
    this.#line = "";
  }

  /** Empty cells at the end of a row and empty rows are left out: programs fill sheets with a million of them. */
  #endRow(): void {
    const grid = this.#grids.at(-1);
    if (grid === undefined) return;
    grid.place = { row: grid.place.row + grid.rowTimes, column: 1 };
    const filled = grid.row.slice(0, grid.row.findLastIndex(({ cell }) => cell !== "") + 1);
    grid.row = [];
    if (filled.length === 0) return;
    this.#cells += filled.reduce((sum, { times }) => sum + times, 0) * grid.rowTimes;
    if (this.#cells > maxCells) {
      throw new UnreadableDocument("It has more cells than can be read; send the part that matters, or CSV.");
    }
    grid.rows.push({
      cells: filled.flatMap(({ cell, times }) => Array<string>(times).fill(cell)),
      times: grid.rowTimes,
    });
  }

  #endTable(): void {
    const grid = this.#grids.pop();
    if (grid === undefined) return;
    if (this.#inSpreadsheet && this.#grids.length === 0) {
      const table = writeSheet(this.#text, grid.name, repeated(grid), grid.formulas.lines());
      if (table !== undefined) this.tables.push(table);
      return;
    }
    const lines = [...repeated(grid)].map((cells) => `| ${cells.join(" | ")} |`);
    // A nested table becomes text in its line.
    if (this.#grids.length > 0) this.#line += lines.join(" ");
    else for (const line of lines) this.#text.line(line);
  }
}

/** `of:=SUM([.B2:.D2])` as people write it (OpenDocument 1.3 part 4, 5.8). */
function plainFormula(formula: string): string {
  return formula
    .replace(/^\w+:(?==)/, "")
    .replace(/\[([^\]]*)\]/g, (_, reference) => reference.replace(/(^|:)\./g, "$1"));
}

const spaces: Readonly<Record<string, string>> = { s: " ", tab: "\t", "line-break": "\n" };

function* repeated({ rows }: Grid): Generator<string[]> {
  for (const { cells, times } of rows) {
    for (let time = 0; time < times; time += 1) yield cells;
  }
}

function times(attribute: string | undefined, most: number): number {
  const number = Number(attribute ?? 1);
  return Number.isInteger(number) && number > 0 ? Math.min(number, most) : 1;
}
