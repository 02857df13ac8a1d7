import type { Json } from "../values/json.ts";

/** Everything stored that is not a turn: namespaces, memory, settings. Keys are `kind:name`. */
export interface KeyValue {
  /** The value, or undefined. @throws when the store cannot be read; a failure is never an empty answer. */
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * The keys that begin with `prefix`, in the order of their UTF-8 bytes, read in pages: memory does not grow with their number.
   * A key that is set or deleted meanwhile may be missing or present; every other key comes exactly once.
   */
  keys(prefix: string): AsyncIterable<string>;
  /**
   * Reads, changes and writes one value atomically: two updates of one key never lose either. `change` gets the value
   * (undefined if there is none) and returns the new one; it may be called again. Answers the new value.
   */
  update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T>;
  /**
   * Resolves when nothing of what was deleted or replaced is left in the files of the store. They are written again for that, and
   * changes wait for it. @throws when that fails; nothing is lost
   */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A view of a store in which every key begins with `prefix`: who holds it can neither see nor change anything else.
 * Closing and scrubbing it does nothing; the store belongs to its owner.
 */
export function scopeKeyValue(store: KeyValue, prefix: string): KeyValue {
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value) => store.set(prefix + key, value),
    delete: (key) => store.delete(prefix + key),
    async *keys(within) {
      for await (const key of store.keys(prefix + within)) yield key.slice(prefix.length);
    },
    update: (key, change) => store.update(prefix + key, change),
    scrub: async () => {},
    close: async () => {},
  };
}
