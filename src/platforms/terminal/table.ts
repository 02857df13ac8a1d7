import type { Tokens } from "marked";
import stringWidth from "string-width";
import { renderInline } from "./markdown-inline.ts";
import type { Paint } from "./paint.ts";

const gap = "  ";

/** A table in columns, or, where that is too wide, one block of `Header: cell` lines per row. */
export function renderTable(table: Tokens.Table, columns: number, paint: Paint): string[] {
  const header = table.header.map((cell) => renderInline(cell.tokens, paint));
  const rows = table.rows.map((row) => row.map((cell) => renderInline(cell.tokens, paint)));
  const widths = header.map((name, index) =>
    Math.max(...[name, ...rows.map((row) => row[index] ?? "")].map(width)),
  );
  const total = widths.reduce((sum, next) => sum + next, 0) + gap.length * (widths.length - 1);
  if (total > columns) {
    return rows.flatMap((row, index) => {
      const lines = row.map((cell, column) => `${paint.bold(header[column] ?? "")}: ${cell}`);
      return index === 0 ? lines : ["", ...lines];
    });
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => align(cell, widths[index] ?? 0, table.align[index]))
      .join(gap)
      .trimEnd();
  return [
    line(header.map(paint.bold)),
    paint.dim(widths.map((size) => "─".repeat(size)).join(gap)),
    ...rows.map(line),
  ];
}

function align(cell: string, size: number, side: "center" | "left" | "right" | null | undefined): string {
  const space = " ".repeat(Math.max(0, size - width(cell)));
  return side === "right" ? space + cell : cell + space;
}

function width(cell: string): number {
  return stringWidth(cell);
}
