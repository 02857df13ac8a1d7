import { countTokens } from "../../../src/models/count-tokens.ts";

/** Characters of a delta. */
const pieceLength = 24;

/** A text as the pieces of a stream; an empty text has none. */
export function chunksOf(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, "gu")) ?? [];
}

/** The beginning of a text that has about this many tokens. */
export function cutText(text: string, tokens: number): string {
  if (tokens <= 0) return "";
  const share = Math.min(1, tokens / Math.max(1, countTokens(text)));
  return text.slice(0, Math.floor(text.length * share));
}
