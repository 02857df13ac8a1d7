import type { Tokens } from "marked";

/**
 * A Markdown table as CSV (RFC 4180: commas, quotes doubled, CRLF). Cells that a spreadsheet would take for a formula get a leading
 * apostrophe.
 */
export function tableCsv({ header, rows }: Pick<Tokens.Table, "header" | "rows">): string {
  return [header, ...rows].map((row) => `${row.map((cell) => csvCell(cell.text)).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
