import { LRUCache } from "lru-cache";
import { estimateTokenCount } from "tokenx";

/** Maximum characters that are counted; longer texts are extrapolated. */
const maxSample = 100_000;

/** Tokens of a text, estimated within about ten percent for the common vocabularies. */
export function countTokens(text: string): number {
  if (text.length <= maxSample) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, maxSample)) * text.length) / maxSample);
}

/** Maximum total characters of the texts whose counts are kept. */
const maxKept = 4_000_000;

/** Minimum characters of a text whose count is kept: counting a shorter text is as fast as looking it up. */
const minKept = 40;

/** Counts as `countTokens` does, and keeps the latest counts: each turn counts the texts of its conversation again. */
export function createTokenCounter(): (text: string) => number {
  const known = new LRUCache<string, number>({
    maxSize: maxKept,
    sizeCalculation: (_, text) => text.length,
  });
  return (text) => {
    if (text.length < minKept) return countTokens(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = countTokens(text);
    known.set(text, count);
    return count;
  };
}
