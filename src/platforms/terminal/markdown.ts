import { lexer, type Token, type Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Paint } from "./paint.ts";
import { plainText } from "./plain-text.ts";

/** Markdown as lines for a terminal, wrapped at `columns`. Escape sequences in the text are removed first. */
export function renderMarkdown(markdown: string, columns: number, paint: Paint): string[] {
  return trimBlank(renderBlocks(lexer(plainText(markdown)), Math.max(20, columns), paint));
}

function renderBlocks(tokens: readonly Token[], columns: number, paint: Paint): string[] {
  return tokens.flatMap((token) => renderBlock(token, columns, paint));
}

function renderBlock(token: Token, columns: number, paint: Paint): string[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [...wrap(paint.bold(paint.accent(renderInline(token.tokens, paint))), columns), ""];
    case "code": {
      const lines = String(token.text).split("\n");
      return [...lines.map((line) => `  ${paint.code(line)}`), ""];
    }
    case "blockquote": {
      const inner = trimBlank(renderBlocks(token.tokens ?? [], columns - 2, paint));
      return [...inner.map((line) => `${paint.dim("│")} ${line}`), ""];
    }
    case "list":
      return [...renderList(token as Tokens.List, columns, paint), ""];
    case "table":
      return [...renderTable(token as Tokens.Table, columns, paint), ""];
    case "hr":
      return [paint.dim("─".repeat(Math.min(columns, 40))), ""];
    case "text":
      return wrap(renderInline([token], paint), columns);
    case "paragraph":
      return [...wrap(renderInline(token.tokens, paint), columns), ""];
    default:
      return [...wrap(token.raw.trimEnd(), columns), ""];
  }
}

function renderList(list: Tokens.List, columns: number, paint: Paint): string[] {
  const first = Number(list.start) || 1;
  return list.items.flatMap((item, index) => {
    const mark = list.ordered ? `${first + index}.` : "•";
    const box = item.task ? `${item.checked ? "☑" : "☐"} ` : "";
    const indent = " ".repeat(mark.length + 1);
    const body = item.tokens.filter((token) => token.type !== "checkbox");
    const [line = "", ...below] = trimBlank(renderBlocks(body, columns - indent.length, paint));
    const indented = below.map((each) => (each === "" ? "" : `${indent}${each}`));
    const spaced = [`${paint.dim(mark)} ${box}${line}`, ...indented];
    return list.loose && index < list.items.length - 1 ? [...spaced, ""] : spaced;
  });
}

function wrap(text: string, columns: number): string[] {
  return wrapAnsi(text, columns, { hard: true }).split("\n");
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

const gap = "  ";

/** A table in columns or, if that is too wide, one block of `Header: cell` lines per row. */
function renderTable(table: Tokens.Table, columns: number, paint: Paint): string[] {
  const header = table.header.map((cell) => renderInline(cell.tokens, paint));
  const rows = table.rows.map((row) => row.map((cell) => renderInline(cell.tokens, paint)));
  const widths = header.map((_name, index) =>
    Math.max(...[header, ...rows].map((row) => stringWidth(row[index] ?? ""))),
  );
  const total = widths.reduce((sum, next) => sum + next, 0) + gap.length * (widths.length - 1);
  if (total > columns) {
    return rows.flatMap((row, index) => {
      const lines = row.map((cell, column) => `${paint.bold(header[column] ?? "")}: ${cell}`);
      return index === 0 ? lines : ["", ...lines];
    });
  }
  const aligned = (cell: string, index: number) => {
    const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell)));
    return table.align[index] === "right" ? space + cell : cell + space;
  };
  const line = (cells: readonly string[]) => cells.map(aligned).join(gap).trimEnd();
  return [
    line(header.map(paint.bold)),
    paint.dim(widths.map((size) => "─".repeat(size)).join(gap)),
    ...rows.map(line),
  ];
}

/** Inline Markdown with styles. A link shows its address, since not every terminal does. */
function renderInline(tokens: readonly Token[] | undefined, paint: Paint): string {
  return (tokens ?? []).map((token) => renderInlineToken(token, paint)).join("");
}

function renderInlineToken(token: Token, paint: Paint): string {
  switch (token.type) {
    case "strong":
      return paint.bold(renderInline(token.tokens, paint));
    case "em":
      return paint.italic(renderInline(token.tokens, paint));
    case "del":
      return paint.strike(renderInline(token.tokens, paint));
    case "codespan":
      return paint.code(String(token.text));
    case "br":
      return "\n";
    case "link":
      return renderLink(token as Tokens.Link, paint);
    case "image":
      return `[${String(token.text) || "image"}] (${paint.link(String(token.href))})`;
    case "text":
    case "paragraph":
      return token.tokens === undefined ? decode(String(token.text)) : renderInline(token.tokens, paint);
    case "escape":
      return decode(String(token.text));
    default:
      return token.raw;
  }
}

function renderLink({ href, tokens, text }: Tokens.Link, paint: Paint): string {
  const label = renderInline(tokens, paint);
  const same = text === href || `mailto:${text}` === href;
  return same ? paint.link(text) : `${label} (${paint.link(href)})`;
}

const entities = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " }));

function decode(text: string): string {
  return text.replace(/&(#?\w+);/g, (entity, name) => entities.get(name) ?? entity);
}
