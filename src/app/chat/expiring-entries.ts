import { createHash } from "node:crypto";
import { errorCode } from "../../base/error-text.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import type { JsonObject } from "../../core/values/json.ts";

/** `until` is the time of its expiry, ms since the epoch. A change keeps it unless it sets another. */
export type ExpiringEntry = JsonObject & { until: number };

/**
 * Small entries that expire, shared by all processes on a store. The store keeps ids as hashes; expired entries are invisible, and deleted
 * with the next change near them. Each method throws when the store fails.
 */
export type ExpiringEntries<T extends ExpiringEntry> = ReturnType<typeof createExpiringEntries<T>>;

export interface ExpiringEntriesOptions {
  store: KeyValue;
  clock: Pick<Clock, "now">;
  /** Key of their value in the store, or with several groups the beginning of their keys. */
  key: string;
  /** Number of values the entries are spread over. A value is read and written as a whole. Default 1. */
  groups?: number;
  /** Maximum entries of a group; those unchanged for the longest time are dropped first. */
  most: number;
}

type Group<T> = { [name: string]: T };

export function createExpiringEntries<T extends ExpiringEntry>({
  store,
  clock,
  key,
  groups = 1,
  most,
}: ExpiringEntriesOptions) {
  const keys = groups === 1 ? [key] : Array.from({ length: groups }, (_, index) => `${key}:${index}`);
  const keyOf = (name: string) => keys[Number.parseInt(name.slice(0, 8), 16) % groups] ?? key;
  const valid = (group: Group<T> = {}) =>
    Object.entries(group).filter(([, { until }]) => until > clock.now());
  const read = async (of: string) => valid((await store.get(of)) as Group<T> | undefined);
  return {
    async get(id: string): Promise<T | undefined> {
      const name = nameOf(id);
      return (await read(keyOf(name))).find(([each]) => each === name)?.[1];
    },
    /**
     * Changes an entry atomically. `next` gets it, or undefined if there is none, and returns what replaces it, undefined to delete it; it
     * may be called more than once. Returns the entry as it was before.
     */
    async change(id: string, next: (entry: T | undefined) => T | undefined): Promise<T | undefined> {
      const name = nameOf(id);
      let before: T | undefined;
      await updateReadable<Group<T>>(store, keyOf(name), (group) => {
        const entries = valid(group);
        before = entries.find(([each]) => each === name)?.[1];
        const after = next(before);
        const changed = entries.filter(([each]) => each !== name);
        if (after !== undefined) changed.push([name, after]);
        return Object.fromEntries(changed.slice(-most));
      });
      return before;
    },
    async all(): Promise<T[]> {
      const found = await Promise.all(keys.map(read));
      return found.flat().map(([, entry]) => entry);
    },
  };
}

/** Synchronous, so that a change is on its way to the store when `change` returns. */
function nameOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}

/** `KeyValue.update` that begins anew where the value was encrypted with another key: nobody can read that value any more. */
async function updateReadable<T extends JsonObject>(
  store: KeyValue,
  key: string,
  change: (value: T | undefined) => T,
): Promise<void> {
  try {
    await store.update<T>(key, change);
  } catch (error) {
    if (errorCode(error) !== "cannot_open") throw error;
    await store.delete(key);
    await store.update<T>(key, change);
  }
}
