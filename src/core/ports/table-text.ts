import type { Table } from "./document-reader.ts";

/** Columns that are shown. */
const maxColumns = 50;
/** Characters of a cell that are shown. */
const maxCell = 80;
/** Characters of a column's name that are shown. */
const maxName = 60;

/**
 * A table for a model: its columns, the number of its rows, and the first rows as Markdown. Columns beyond the fiftieth are counted
 * and left out, long cells are cut.
 */
export function tableText({ name, columns, rows, first }: Table): string {
  const shown = columns.slice(0, maxColumns);
  const hidden = columns.length - shown.length;
  const more = hidden === 0 ? "" : ` and ${number(hidden)} more`;
  const lines = [
    ...(name === undefined ? [] : [`sheet: ${cell(name, maxName)}`]),
    `columns: ${shown.map((column) => cell(column, maxName)).join(", ")}${more}`,
    countLine(rows, first.length),
  ];
  if (first.length > 0) lines.push("", ...markdown(shown, first));
  return lines.join("\n");
}

function countLine(rows: number, shown: number): string {
  const count = `${number(rows)} ${rows === 1 ? "row" : "rows"}`;
  if (shown === 0) return count;
  return shown < rows ? `${count}; the first ${shown}:` : `${count}:`;
}

function markdown(columns: readonly string[], rows: Table["first"]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => cell(column, maxName))),
    `|${" --- |".repeat(columns.length)}`,
    ...rows.map((row) => line(columns.map((_, at) => cell(row[at] ?? "", maxCell)))),
  ];
}

/** On one line, and without what would end a cell of a Markdown table. */
function cell(text: string, longest: number): string {
  const line = text
    .slice(0, 4 * longest)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const kept = characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
  return kept.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

const number = (value: number) => value.toLocaleString("en-US");
