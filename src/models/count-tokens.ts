import { estimateTokenCount } from "tokenx";

/** Longer texts are counted by their beginning. */
const longestSample = 100_000;

/** Tokens of a text, estimated within some ten percent for the common vocabularies. */
export function countTokens(text: string): number {
  if (text.length <= longestSample) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, longestSample)) * text.length) / longestSample);
}
