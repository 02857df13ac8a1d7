import type { Json } from "./json.ts";

/** Everything stored that is not a turn: namespaces, memory, settings. Keys are `kind:name`. */
export interface KeyValue {
  /** The value, or undefined. @throws when the store cannot be read; a failure is never an empty answer. */
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Reads, changes and writes one value atomically: two updates of one key never lose either. `change` gets the value
   * (undefined if there is none) and returns the new one; it may be called again. Answers the new value.
   */
  update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T>;
  close(): Promise<void>;
}
