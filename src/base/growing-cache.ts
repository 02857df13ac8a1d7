/**
 * Options of an LRU cache of at most `maxEntries` that takes memory as it fills. With its option `max`, lru-cache takes all of it when the
 * cache is made.
 */
export function growingTo(maxEntries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: maxEntries, sizeCalculation: () => 1 };
}
