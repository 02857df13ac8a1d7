import { LRUCache } from "lru-cache";
import { estimateTokenCount } from "tokenx";

/** Longer texts are counted by their beginning. */
const maxSample = 100_000;

/** Tokens of a text, estimated within some ten percent for the common vocabularies. */
export function countTokens(text: string): number {
  if (text.length <= maxSample) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, maxSample)) * text.length) / maxSample);
}

/** Characters of the texts whose counts are kept, together. */
const maxKept = 4_000_000;

/** Counting a shorter text takes no longer than looking it up. */
const shortest = 40;

/** Counts as `countTokens` and keeps the latest counts: the texts of a conversation are counted again in each of its turns. */
export function createTokenCounter(): (text: string) => number {
  const known = new LRUCache<string, number>({
    maxSize: maxKept,
    sizeCalculation: (_, text) => text.length,
  });
  return (text) => {
    if (text.length < shortest) return countTokens(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = countTokens(text);
    known.set(text, count);
    return count;
  };
}
