import { Lexer, marked, type Token, type Tokens } from "marked";

/** The blocks of a Markdown text; undefined when they are not the whole text, or are nested too deep to be read. */
export function readBlocks(text: string): Token[] | undefined {
  return readAll(text, () => marked.lexer(text));
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
  return tokens?.map(wordsOf).join("") ?? text ?? raw;
}

function tableWords({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) =>
    cells.map((cell) => wordsIn({ ...cell, type: "cell", raw: "" })),
  );
  return `${lines.map((cells) => cells.join(", ")).join("\n")}\n`;
}
