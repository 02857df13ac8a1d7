import { Lexer, marked, type Token, type Tokens } from "marked";
import { groupLines, type LineGroup } from "./markdown-fences.ts";

/**
 * Maximum characters of a text that is read as a whole, and of a piece of a longer one: marked takes quadratic time for some emphasis,
 * lists and quotes.
 */
const maxWhole = 8_000;
const maxPiece = 4_000;

/**
 * The blocks of a Markdown text; undefined when they are not the whole text, or are nested too deep to be read. A longer text is read in
 * pieces between blank lines, without what is inside of its lines; a piece that is too long, and no table or code, is one paragraph.
 */
export function readBlocks(text: string): Token[] | undefined {
  if (text.length <= maxWhole) return readAll(text, () => marked.lexer(text));
  return piecesOf(text).flatMap((piece): Token[] => {
    const raw = piece.flatMap(({ lines }) => lines).join("");
    const isShort = raw.length <= maxPiece || isCode(piece[0]) || isTable(piece);
    const read = () => new Lexer().blockTokens(raw);
    return (isShort ? readAll(raw, read) : undefined) ?? [{ type: "paragraph", raw, text: raw }];
  });
}

/** Lines up to and with a blank one; a code block is one piece. */
function piecesOf(text: string): LineGroup[][] {
  const pieces: LineGroup[][] = [];
  let isOpen = false;
  for (const group of groupLines(text)) {
    if (isOpen && !isCode(group)) pieces.at(-1)?.push(group);
    else pieces.push([group]);
    isOpen = !isCode(group) && group.lines.join("").trim() !== "";
  }
  return pieces;
}

function isCode(group: LineGroup | undefined): boolean {
  return group?.fence?.before.trim() === "";
}

/** Each of its lines is a row, so that nothing else in it has to be read. */
function isTable(piece: LineGroup[]): boolean {
  const rows = piece.map(({ lines }) => lines.join("")).filter((line) => line.trim() !== "");
  return /^[\s:|-]+$/.test(rows[1] ?? "") && rows.every((line) => line.includes("|"));
}

/** The content of a line of Markdown: text, links, inline code. Undefined as above. */
export function readInline(line: string): Token[] | undefined {
  return readAll(line, () => Lexer.lexInline(line));
}

function readAll(text: string, read: () => Token[]): Token[] | undefined {
  try {
    const tokens = read();
    return tokens.map((token) => token.raw).join("") === text ? tokens : undefined;
  } catch (error) {
    // marked reads nested blocks by recursion: thousands of quotes in quotes exhaust the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The words of a Markdown text without its markup; a link becomes its label. A text that cannot be parsed is returned unchanged. */
export function plainWords(markdown: string): string {
  const blocks = readBlocks(markdown);
  return (blocks === undefined ? markdown : blocks.map(wordsOf).join("")).replace(/\n{3,}/g, "\n\n").trim();
}

function wordsOf(token: Token): string {
  switch (token.type) {
    case "list":
      return `${(token as Tokens.List).items.map((item) => `- ${wordsIn(item).trim()}`).join("\n")}\n`;
    case "table":
      return tableWords(token as Tokens.Table);
    case "code":
      return `${token.text}\n`;
    case "hr":
    case "br":
    case "space":
      return "\n";
    case "paragraph":
    case "heading":
    case "blockquote":
      return `${wordsIn(token)}\n`;
    // The first line of an item, which a list or a table within it may follow.
    case "text":
      return "tokens" in token ? `${wordsIn(token)}\n` : wordsIn(token);
    default:
      return wordsIn(token);
  }
}

function wordsIn(token: Token): string {
  const { tokens, text, raw } = token as Tokens.Generic;
  return tokens?.length ? tokens.map(wordsOf).join("") : (text ?? raw);
}

function tableWords({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) =>
    cells.map((cell) => wordsIn({ ...cell, type: "cell", raw: "" })),
  );
  return `${lines.map((cells) => cells.join(", ")).join("\n")}\n`;
}
