import { LRUCache } from "lru-cache";
import type { Json } from "../core/json.ts";
import type { KeyValue } from "../core/key-value.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { makePrivateFile } from "./private-files.ts";
import { StorageError, toStorageError } from "./storage-error.ts";

/** What Keyv does of what is needed here. Without an `error` listener it throws instead of emitting. */
interface Store {
  get(key: string): Promise<unknown>;
  set(key: string, value: Json): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  disconnect(): Promise<void>;
}

/** Characters of values that are kept in memory. */
const cacheSize = 4_000_000;

/** Stands for a key without a value; no JSON text is empty. */
const nothing = "";

/**
 * Opens or creates a key-value store in a SQLite file, for one process: `update` is atomic within it.
 * @throws StorageError, as does every method
 */
export async function openKeyValue(
  path: string,
  options: { busyTimeoutMs?: number } = {},
): Promise<KeyValue> {
  const store = await openStore(path, options.busyTimeoutMs ?? 5_000);
  const mutex = new KeyedMutex();
  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw toStorageError(error, path);
    });
  // This process alone writes the file, so what it has read once it knows. Kept as text: nobody shares an object.
  const known = new LRUCache<string, string>({
    maxSize: cacheSize,
    sizeCalculation: (text) => text.length + 1,
  });
  const read = async (key: string): Promise<Json | undefined> => {
    const cached = known.get(key);
    if (cached !== undefined) return cached === nothing ? undefined : JSON.parse(cached);
    const value = (await store.get(key)) as Json | undefined;
    known.set(key, value === undefined ? nothing : JSON.stringify(value));
    return value;
  };
  const write = async (key: string, value: Json) => {
    known.delete(key);
    if (!(await store.set(key, value))) throw refusedError(path, key);
  };
  let closed: Promise<void> | undefined;
  return {
    // What is stored under a key is what its users put there.
    // In line with writes of the key, or an old value could be remembered over a new one.
    get: (key) => guarded(() => (known.has(key) ? read(key) : mutex.run(key, () => read(key)))),
    set: (key, value) => guarded(() => mutex.run(key, () => write(key, value))),
    delete: (key) =>
      guarded(() =>
        mutex.run(key, async () => {
          known.delete(key);
          await store.delete(key);
        }),
      ),
    update: <T extends Json>(key: string, change: (value: T | undefined) => T) =>
      guarded(() =>
        mutex.run(key, async () => {
          const value = change((await read(key)) as T | undefined);
          await write(key, value);
          return value;
        }),
      ),
    close() {
      closed ??= guarded(() => store.disconnect());
      return closed;
    },
  };
}

async function openStore(path: string, busyTimeout: number): Promise<Store> {
  const [{ Keyv }, { KeyvSqlite }] = await Promise.all([import("keyv"), import("@keyv/sqlite")]);
  makePrivateFile(path);
  const adapter = new KeyvSqlite({ uri: `sqlite://${path}`, driver: "node:sqlite", wal: true, busyTimeout });
  try {
    await adapter.ready;
    await adapter.query("PRAGMA synchronous = NORMAL");
  } catch (error) {
    throw toStorageError(error, path);
  }
  return new Keyv({ store: adapter, serialization: { stringify: JSON.stringify, parse: JSON.parse } });
}

function refusedError(path: string, key: string): StorageError {
  return new StorageError("unavailable", path, `The store ${path} did not take the value of "${key}"`);
}
