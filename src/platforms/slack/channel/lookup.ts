import { LRUCache } from "lru-cache";
import { growingTo } from "../../../base/growing-cache.ts";
import type { Clock } from "../../../core/ports/storage.ts";

/** Maximum entries; the least recently used one is dropped first. */
const capacity = 5_000;

/** A cache of looked-up values with a lifetime. Concurrent requests for a value share one look-up; failures are not cached. */
export class Lookup<T> {
  readonly #look: (key: string) => Promise<T>;
  readonly #known: LRUCache<string, Promise<T>>;

  /** @param age lifetime of a value, ms */
  constructor(clock: Clock, age: number, look: (key: string) => Promise<T>) {
    this.#look = look;
    this.#known = new LRUCache({ ...growingTo(capacity), ttl: age, ttlResolution: 0, perf: clock });
  }

  get(key: string): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#look(key);
    this.#known.set(key, value);
    value.catch(() => {
      if (this.#known.peek(key) === value) this.#known.delete(key);
    });
    return value;
  }

  put(key: string, value: T): void {
    this.#known.set(key, Promise.resolve(value));
  }
}
