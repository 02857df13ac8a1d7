import { plainText } from "./plain-text.ts";

/** Asks the terminal to put marks around pasted text, and to stop doing so. */
export const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

const start = "\u001b[200~";
const end = "\u001b[201~";
/** A pasted single line up to this many characters is put into the input line as if typed. */
const longestTypedPaste = 500;

export interface PasteFilter {
  /** What the line editor should see of the next keys. */
  feed(keys: string): string;
  /** A line the editor gave, with the pasted texts in the place of their stand-ins. */
  expand(line: string): string;
}

/**
 * Keeps pasted text from being read as keys: a newline in it would send the line, a long one would be redrawn letter by
 * letter. The editor gets a stand-in such as `[Pasted text 1: 12 lines]` instead.
 */
export function createPasteFilter(): PasteFilter {
  const pasted = new Map<string, string>();
  let pending = "";
  let paste: string | undefined;

  const standIn = (text: string) => {
    if (!text.includes("\n") && text.length <= longestTypedPaste) return text;
    const lines = text.split("\n").length;
    const size = lines === 1 ? `${text.length} characters` : `${lines} lines`;
    const name = `[Pasted text ${pasted.size + 1}: ${size}]`;
    pasted.set(name, text);
    return name;
  };
  return {
    feed(keys) {
      let rest = pending + keys;
      let out = "";
      for (;;) {
        const { before, after, found } = split(rest, paste === undefined ? start : end);
        if (paste === undefined) out += before;
        else paste += before;
        pending = rest = after;
        if (!found) return out;
        if (paste !== undefined) out += standIn(plainText(paste.replace(/\r\n?/g, "\n")));
        paste = paste === undefined ? "" : undefined;
      }
    },
    expand(line) {
      return line.replace(
        /\[Pasted text \d+: \d+ (?:lines|characters)\]/g,
        (name) => pasted.get(name) ?? name,
      );
    },
  };
}

/** A text around its first mark. The beginning of a mark at the end is kept back; a lone escape is the Escape key. */
function split(text: string, mark: string): { before: string; after: string; found: boolean } {
  const at = text.indexOf(mark);
  if (at >= 0) return { before: text.slice(0, at), after: text.slice(at + mark.length), found: true };
  for (let length = mark.length - 1; length > 1; length--) {
    if (!text.endsWith(mark.slice(0, length))) continue;
    return { before: text.slice(0, -length), after: text.slice(-length), found: false };
  }
  return { before: text, after: "", found: false };
}
