import type { Token, Tokens } from "marked";
import stringWidth from "string-width";
import { plainWords, readBlocks } from "../../../app/chat/present/read-markdown.ts";
import { splitMarkdown } from "../../../app/chat/present/split-markdown.ts";
import { pattern } from "../../../base/pattern.ts";

/** Maximum characters of a message. Source: Discord reference, "Create Message". */
export const maxContent = 2_000;

/** Maximum width of a table in columns, characters: phones should not have to scroll far. */
export const widestTable = 100;

/** Standard Markdown as Discord shows it, without mentions that notify. May be longer than one message. */
export function renderContent(markdown: string): string {
  return renderWith(renderTable, markdown);
}

/** The text as it was written, cut to one message, without mentions that notify. */
export function plainContent(markdown: string, most: number = maxContent): string {
  return splitMarkdown(neutralised(markdown).trim(), most)[0] ?? "";
}

type TableRenderer = (table: Tokens.Table) => string;

function renderWith(table: TableRenderer, markdown: string): string {
  const text = markdown.replace(/\r\n?/g, "\n");
  const texts = readBlocks(text)?.map((token) => renderToken(token, table)) ?? [text];
  return neutralised(texts.join("")).trim();
}

/**
 * `renderContent`, cut to one message. Columns take more space than the Markdown of a table, so a table stays as written where
 * they do not fit.
 */
export function renderMessage(markdown: string, most: number = maxContent): string {
  const drawn = renderContent(markdown);
  if (drawn.length <= most) return drawn;
  const content = renderWith(writtenTable, markdown);
  if (content.length <= most) return content;
  const [first = "", ...more] = splitMarkdown(content, most - 2);
  return more.length === 0 ? first : `${first}\n…`;
}

function renderToken(token: Token, table: TableRenderer): string {
  const [space] = /(?<!\n)\n*$/.exec(token.raw) ?? [""];
  switch (token.type) {
    case "table":
      return table(token as Tokens.Table) + space;
    case "heading":
      return renderHeading(token as Tokens.Heading) + space;
    case "hr":
      return `───────${space}`;
    case "code":
      return token.raw;
    default:
      return withImages(withTables(token, table));
  }
}

/** A list or quote as written, with its tables rendered. What the list or quote puts before their lines stays. */
function withTables(token: Token, table: TableRenderer): string {
  return tablesIn(token).reduce((text, each) => {
    const written = each.raw
      .trim()
      .split("\n")
      .map((line) => pattern()`${line}[ \t]*`)
      .reduce((before, line) => pattern()`${before}\n[ \t>]*${line}`);
    return text.replace(pattern("m")`^([ \t>]*)${written}$`, (_, lead: string) =>
      table(each).replace(/^/gm, lead),
    );
  }, token.raw);
}

function tablesIn(token: Token): Tokens.Table[] {
  const { tokens = [], items = [] } = token as { tokens?: Token[]; items?: Token[] };
  return [...tokens, ...items].flatMap((each) =>
    each.type === "table" ? (each as Tokens.Table) : tablesIn(each),
  );
}

/** Discord has three levels of headings. */
function renderHeading({ depth, text, raw }: Tokens.Heading): string {
  return depth > 3 ? `**${text}**` : withImages(raw.trimEnd());
}

/** A picture, or a run of backticks, which may begin or end inline code. */
const pictureOrTicks = /`+|!\[([^\][]*)\]\(((?:[^()\s]|\([^()\s]*\))+)(?:\s[^()]*)?\)/g;

/** Discord shows no Markdown images: outside inline code they become links. */
function withImages(text: string): string {
  const found = [...text.matchAll(pictureOrTicks)];
  const lastTicks = new Map(found.map(({ 0: whole, index }) => [whole, index]));
  let code: string | undefined;
  const kept: string[] = [];
  let at = 0;
  for (const { 0: whole, 1: label, 2: url, index } of found) {
    if (url === undefined) {
      // Backticks begin code only if an equal run follows.
      if (code === undefined && (lastTicks.get(whole) ?? index) > index) code = whole;
      else if (code === whole) code = undefined;
    } else if (code === undefined) {
      kept.push(text.slice(at, index), `[${label || "image"}](${url})`);
      at = index + whole.length;
    }
  }
  return kept.join("") + text.slice(at);
}

/** A table as written. If cells have markup, they are written as plain text, which is never longer. */
function writtenTable({ raw, header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map(plainCells);
  const isPlain = JSON.stringify(lines) === JSON.stringify([header, ...rows].map(writtenCells));
  const [head, ...body] = lines.map((cells) => `|${cells.join("|")}|`);
  const shown = isPlain ? raw.trim() : [head, `|${header.map(() => "-").join("|")}|`, ...body].join("\n");
  return ["```", shown.replaceAll("`", ""), "```"].join("\n");
}

/** Discord has no tables: columns in a code block, or one line per row if they would be too wide or contain links. */
function renderTable({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map(plainCells);
  const widths = header.map((_, column) =>
    Math.max(...lines.map((cells) => stringWidth(cells[column] ?? ""))),
  );
  const isWide = widths.reduce((sum, width) => sum + width + 2, 0) > widestTable;
  if (isWide || rows.flat().some(({ text }) => link.test(text)))
    return renderRecords(plainCells(header), rows.map(writtenCells));
  const [head = [], ...body] = lines.map((cells) =>
    cells.map((cell, column) => padded(cell, widths[column] ?? 0)),
  );
  const rule = widths.map((width) => "─".repeat(width));
  const drawn = [head, rule, ...body].map((cells) => cells.join("  ").trimEnd());
  return ["```", ...drawn, "```"].join("\n");
}

/** A link with a label: nobody could follow it in a code block. */
const link = /\[[^\][]*\]\((?:[^()\s]|\([^()\s]*\))+\)/;

const plainCells = (cells: readonly Tokens.TableCell[]) =>
  cells.map(({ text }) => plainWords(text).replaceAll("`", ""));

const writtenCells = (cells: readonly Tokens.TableCell[]) => cells.map(({ text }) => text);

function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - stringWidth(cell)));
}

function renderRecords(head: readonly string[], rows: readonly string[][]): string {
  return rows
    .map((cells) => cells.map((cell, column) => `**${head[column] ?? ""}** ${cell}`).join(" · "))
    .map((line) => `- ${line}`)
    .join("\n");
}

/**
 * Puts a zero-width space into mentions of everyone and of roles, so that they notify nobody. `allowed_mentions` says so again.
 */
function neutralised(text: string): string {
  return text.replace(/@(everyone|here)\b/g, "@\u200b$1").replace(/<@&/g, "<@\u200b&");
}
