import { Lexer, marked, type Token } from "marked";

/** The blocks of a Markdown text; undefined when they are not the whole text, or are nested too deep to be read. */
export function readBlocks(text: string): Token[] | undefined {
  return readAll(text, () => marked.lexer(text));
}

/** What stands in a line of Markdown: text, links, inline code. Undefined as above. */
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
