import { createHash } from "node:crypto";
import { errorCode } from "../../base/error-text.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import type { JsonObject } from "../../core/values/json.ts";

/** `until` is the time of its expiry, ms since the epoch. A change keeps it unless it sets another. */
export type ExpiringEntry = JsonObject & { until: number };

type Group<T> = { [name: string]: T };

/**
 * Small entries that expire, shared by all processes on a store. The store keeps ids as hashes; expired entries are invisible, and deleted
 * with the next change near them.
 */
export class ExpiringEntries<T extends ExpiringEntry = ExpiringEntry> {
  readonly #store: KeyValue;
  readonly #clock: Pick<Clock, "now">;
  readonly #keys: string[];
  readonly #most: number;
  readonly #failed: ((error: unknown) => void) | undefined;

  /**
   * @param key of their value in the store, or with several groups the beginning of their keys
   * @param size.groups number of values the entries are spread over; a value is read and written as a whole
   * @param size.most maximum entries of a group; those unchanged for the longest time are dropped first
   * @param failed called when the store fails, and then nothing is found; without it, each method throws the error
   */
  constructor(
    store: KeyValue,
    clock: Pick<Clock, "now">,
    key: string,
    { groups = 1, most }: { groups?: number; most: number },
    failed?: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#keys = groups === 1 ? [key] : Array.from({ length: groups }, (_, index) => `${key}:${index}`);
    this.#most = most;
    this.#failed = failed;
  }

  get(id: string): Promise<T | undefined> {
    const name = nameOf(id);
    const find = async () => (await this.#read(this.#keyOf(name))).find(([each]) => each === name)?.[1];
    return find().catch(this.#otherwise(undefined));
  }

  /**
   * Changes an entry atomically. `next` gets it, or undefined if there is none, and returns what replaces it, undefined to delete it; it
   * may be called more than once. Returns the entry as it was before.
   */
  async change(id: string, next: (entry: T | undefined) => T | undefined): Promise<T | undefined> {
    const name = nameOf(id);
    let before: T | undefined;
    const changing = updateReadable<Group<T>>(this.#store, this.#keyOf(name), (group) => {
      const entries = this.#valid(group);
      before = entries.find(([each]) => each === name)?.[1];
      const after = next(before);
      const changed = entries.filter(([each]) => each !== name);
      if (after !== undefined) changed.push([name, after]);
      return Object.fromEntries(changed.slice(-this.#most));
    });
    return changing.then(() => before, this.#otherwise(undefined));
  }

  async all(): Promise<T[]> {
    const reading = Promise.all(this.#keys.map((key) => this.#read(key)));
    return (await reading.catch(this.#otherwise([]))).flat().map(([, entry]) => entry);
  }

  #otherwise<R>(value: R): (error: unknown) => R {
    return (error) => {
      if (this.#failed === undefined) throw error;
      this.#failed(error);
      return value;
    };
  }

  #keyOf(name: string): string {
    return this.#keys[Number.parseInt(name.slice(0, 8), 16) % this.#keys.length] ?? "";
  }

  async #read(key: string): Promise<[string, T][]> {
    return this.#valid((await this.#store.get(key)) as Group<T> | undefined);
  }

  #valid(group: Group<T> = {}): [string, T][] {
    return Object.entries(group).filter(([, { until }]) => until > this.#clock.now());
  }
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
