import { parseExactly } from "../../src/base/exact-number.ts";
import { readContent } from "../../src/base/file-kind.ts";
import type { ReadContent } from "../../src/core/ports/documents.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { type Json, objectOf } from "../../src/core/values/json.ts";
import { type Column, type ReadColumn, readColumn } from "./guess-types.ts";

export interface Rows {
  rows: { [column: string]: Json }[];
  columns: Column[];
  notes: string[];
}

/** Maximum rows read from a table. */
const maxRows = 200_000;

/** Rows from the call: a column whose texts are all numbers or all dates is converted. */
export function givenRows(rows: readonly Record<string, Json>[]): Rows {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const table = rows.map((row) => names.map((name) => row[name] ?? null));
  return typed(names, table);
}

/** All rows of a file in the thread: CSV and similar formats, a sheet, JSON or JSON lines. */
export async function fileRows(
  path: string,
  sheet: string | undefined,
  { threadFiles }: Pick<ToolContext, "threadFiles">,
): Promise<Rows> {
  if (/\.(csv|tsv|tab|txt)$/i.test(path))
    return await separated(textOf(path, (await threadFiles.bytes(path)).data));
  if (/\.(json|jsonl|ndjson)$/i.test(path))
    return jsonRows(textOf(path, (await threadFiles.bytes(path)).data));
  const content = await threadFiles.content(path);
  if (content.kind === "document" && content.tables.length > 0) return await sheetRows(content, sheet);
  if (content.kind === "text" || content.kind === "table") return await separated(content.text ?? "");
  throw new SkillFailure(
    "no_table",
    `${path} has no table that can be drawn.`,
    "Read it with read_file, and give the numbers as rows.",
  );
}

/** The text of a file in any encoding. @throws SkillFailure if it is not text */
function textOf(path: string, data: Uint8Array): string {
  const read = readContent(path, "text/plain", data);
  if (read.kind === "text") return read.text;
  const why = read.kind === "unreadable" ? read.problem : "it is a picture";
  throw new SkillFailure("not_readable", `${path} cannot be read: ${why}.`, "Say so.");
}

async function separated(text: string, sheet = false): Promise<Rows> {
  const { default: Papa } = await import("papaparse");
  const { data, meta } = Papa.parse<string[]>(text.replace(/^\ufeff/, ""), {
    skipEmptyLines: "greedy",
    ...(sheet ? { delimiter: "," } : { delimitersToGuess: [",", ";", "\t", "|"] }),
  });
  const notes: string[] = [];
  const [head, ...body] = withoutHeading(data, notes);
  if (head === undefined || body.length === 0)
    throw new SkillFailure("no_rows", "The table has no rows below its first line.", "Say so.");
  const width = Math.max(head.length, ...body.slice(0, 1_000).map((row) => row.length));
  const names = namesOf(head, body, width, notes);
  const rows = body.slice(0, maxRows).map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ""));
  if (sheet) fillMerged(rows, names, notes);
  if (body.length > maxRows) notes.push(`Only the first ${maxRows} of ${body.length} rows are used.`);
  noteTotal(rows, names, notes);
  // With semicolons between columns, the decimal separator is probably a comma.
  const found = typed(names, rows, meta.delimiter === ";");
  return { ...found, notes: [...notes, ...found.notes] };
}

/** Removes lines with a single cell above a table, which describe it. */
function withoutHeading(lines: string[][], notes: string[]): string[][] {
  const cells = (line: string[] | undefined) => (line ?? []).filter((cell) => cell.trim() !== "").length;
  const begin = lines.findIndex((line) => cells(line) > 1);
  if (begin < 1) return lines;
  const said = lines.slice(0, begin).map((line) => line.join(" ").trim());
  notes.push(`Text above the table: ${said.join(" / ").slice(0, 200)}`);
  return lines.slice(begin);
}

function noteTotal(rows: readonly string[][], names: readonly string[], notes: string[]): void {
  const at =
    rows.at(-1)?.findIndex((cell) => /^(grand )?(total|sum|summe|gesamt|insgesamt)$/i.test(cell.trim())) ??
    -1;
  if (at >= 0)
    notes.push(`The last row is a total (${names[at]}: ${rows.at(-1)?.[at]?.trim()}): filter it out.`);
}

/** Unique column names. If the header has merged cells, its second line is joined to the first. */
function namesOf(head: string[], body: string[][], width: number, notes: string[]): string[] {
  const [second] = body;
  const gaps = head.filter((cell, at) => at > 0 && cell.trim() === "").length;
  const isText = (cell: string) => cell.trim() !== "" && readColumn([cell]).type === "text";
  const isDouble = gaps > 0 && second !== undefined && second.filter(isText).length > second.length / 2;
  let last = "";
  const upper = Array.from({ length: width }, (_, at) => {
    const cell = head[at]?.trim() ?? "";
    if (cell !== "") last = cell;
    return isDouble ? last : cell;
  });
  if (isDouble) {
    body.shift();
    notes.push("The head has two lines with merged cells; they were joined, as in “2025 / Sales”.");
  }
  const names = upper.map((cell, at) => {
    const below = isDouble ? (second?.[at]?.trim() ?? "") : "";
    return [cell, below === cell ? "" : below].filter(Boolean).join(" / ") || `column ${at + 1}`;
  });
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

/** A sheet has a value only in the first of merged cells: a name in the first column applies to the rows below it. */
function fillMerged(rows: string[][], names: readonly string[], notes: string[]): void {
  const texts = rows.map((row) => row[0]?.trim() ?? "");
  const empty = texts.filter((text) => text === "").length;
  const isGroup = texts[0] !== "" && empty > 0 && readColumn(texts).type === "text";
  if (!isGroup) return;
  let last = "";
  for (const row of rows) {
    if (row[0]?.trim() !== "") last = row[0] ?? "";
    else if (row.slice(1).some((cell) => cell.trim() !== "")) row[0] = last;
  }
  notes.push(`Empty cells of ${names[0]} were filled from above, as merged cells leave them.`);
}

async function sheetRows(
  { text, tables }: Extract<ReadContent, { kind: "document" }>,
  wanted: string | undefined,
): Promise<Rows> {
  const known = new Set(tables.map(({ name }) => name));
  const parts = [...text.matchAll(/^--- (.+) ---\n([\s\S]*?)(?=^--- .+ ---\n|$(?![\s\S]))/gm)];
  const sheets = parts
    .map(([, name = "", rows = ""]) => ({ name, rows }))
    .filter(({ name }) => known.has(name));
  const chosen =
    wanted === undefined ? sheets[0] : sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const names = sheets.map(({ name }) => name).join(", ");
  if (chosen === undefined)
    throw new SkillFailure("no_such_sheet", `There is no sheet ${wanted ?? ""}.`, `Sheets: ${names}.`);
  const found = await separated(chosen.rows, true);
  const others =
    sheets.length > 1 && wanted === undefined ? [`Of the sheets ${names} the first was used.`] : [];
  return { ...found, notes: [...others, ...found.notes] };
}

function jsonRows(text: string): Rows {
  const rows = parsedRows(text);
  if (rows.length === 0)
    throw new SkillFailure(
      "no_rows",
      "The file does not contain a list of rows.",
      "Read it with read_file, and give the rows.",
    );
  return givenRows(rows.slice(0, maxRows));
}

function parsedRows(text: string): Record<string, Json>[] {
  const isRow = (value: Json): value is { [key: string]: Json } =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  try {
    const value = parseExactly(text) as Json;
    const lists = Array.isArray(value) ? [value] : Object.values(objectOf(value)).filter(Array.isArray);
    return (lists[0] ?? []).filter(isRow);
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    try {
      return lines.map((line) => parseExactly(line) as Json).filter(isRow);
    } catch {
      throw new SkillFailure(
        "not_json",
        "The file is neither JSON nor JSON lines.",
        "Ask for it in another format.",
      );
    }
  }
}

function typed(names: readonly string[], table: readonly (readonly Json[])[], commas = false): Rows {
  const notes: string[] = [];
  const columns = names.map((name, at) => {
    const cells = table.map((row) => row[at] ?? null);
    const { type, values, odd, notes: own } = columnOf(cells, commas);
    notes.push(...own.map((note) => `${name}: ${note}.`));
    if (odd > 0) notes.push(`${odd} values of ${name} are not of type ${type} and count as empty.`);
    return { name, type, values };
  });
  const rows = table.map((_, row) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[row] ?? null])),
  );
  return { rows, columns: columns.map(({ name, type }) => ({ name, type })), notes };
}

function columnOf(cells: readonly Json[], commas: boolean): ReadColumn {
  const given = cells.filter((cell) => cell !== null);
  if (given.length > 0 && given.every((cell) => typeof cell === "number"))
    return { type: "number", values: [...cells], odd: 0, notes: [] };
  if (given.length > 0 && given.every((cell) => typeof cell === "boolean"))
    return { type: "boolean", values: [...cells], odd: 0, notes: [] };
  return readColumn(
    cells.map((cell) =>
      cell === null ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell),
    ),
    commas,
  );
}
