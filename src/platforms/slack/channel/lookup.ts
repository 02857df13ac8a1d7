import type { Clock } from "../../../core/ports/storage.ts";

/** A cache of looked-up values with a lifetime. Concurrent requests for a value share one look-up; failures are not cached. */
export interface Lookup<T> {
  get(key: string): Promise<T>;
  put(key: string, value: T): void;
}

/** Maximum entries; the least recently used one is dropped first. */
const capacity = 5_000;

/** @param age lifetime of a value, ms */
export function createLookup<T>(clock: Clock, age: number, look: (key: string) => Promise<T>): Lookup<T> {
  const entries = new Map<string, { value: Promise<T>; until: number }>();
  const keep = (key: string, value: Promise<T>) => {
    entries.delete(key);
    entries.set(key, { value, until: clock.now() + age });
    const oldest = entries.size > capacity ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return value;
  };
  return {
    get(key) {
      const found = entries.get(key);
      if (found !== undefined && found.until > clock.now()) {
        entries.delete(key);
        entries.set(key, found);
        return found.value;
      }
      const value = keep(key, look(key));
      value.catch(() => {
        if (entries.get(key)?.value === value) entries.delete(key);
      });
      return value;
    },
    put(key, value) {
      void keep(key, Promise.resolve(value));
    },
  };
}
