import { partEnd } from "../../src/core/values/json.ts";

/**
 * Tokens of one part at most, estimated: below the 4,000 that a tool output may have unless an operator sets less, so that no part is
 * cut again.
 */
const maxTokens = 3_400;

/** Where a part of a text that begins at `from` ends: at most `length` characters, and few enough tokens. */
export function pagePartEnd(text: string, from: number, length: number): number {
  let tokens = 0;
  let at = from;
  while (at < text.length && at < from + length && tokens < maxTokens) {
    tokens += tokensOf(text.charCodeAt(at));
    at += 1;
  }
  return partEnd(text, from, at - from);
}

/** Tokens a character stands for, rather too many: letters come in words, signs and digits hardly do. */
function tokensOf(code: number): number {
  if (code >= 0x2e80) return 1;
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32;
  return isLetter ? 0.27 : 0.85;
}
