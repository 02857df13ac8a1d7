import { parseExactly } from "../base/exact-number.ts";
import type { KeyValue } from "../core/ports/storage.ts";
import type { Json } from "../core/values/json.ts";

/** A store in memory. Its content is lost with the process. Values are copied on the way in and out. */
export function createMemoryKeyValue(): KeyValue {
  const texts = new Map<string, string>();
  const read = (key: string): Json | undefined => {
    const text = texts.get(key);
    return text === undefined ? undefined : (parseExactly(text) as Json);
  };
  return {
    get: async (key) => read(key),
    async set(key, value) {
      texts.set(key, JSON.stringify(value));
    },
    async delete(key) {
      texts.delete(key);
    },
    async *keys(prefix) {
      const found = [...texts.keys()].filter((key) => key.startsWith(prefix));
      yield* found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    },
    async update<T extends Json>(key: string, change: (value: T | undefined) => T) {
      // Users of a key decide the type of its value: the same T.
      const text = JSON.stringify(change(read(key) as T | undefined));
      texts.set(key, text);
      return parseExactly(text) as T;
    },
    scrub: async () => {},
    close: async () => {},
  };
}
