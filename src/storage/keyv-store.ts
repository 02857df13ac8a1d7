import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { parseExactly } from "../base/exact-number.ts";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { KeyValue } from "../core/ports/storage.ts";
import type { Json } from "../core/values/json.ts";
import {
  blockingMs,
  createWriteQueue,
  type Migration,
  migrateSqlite,
  type SqliteOptions,
} from "./sqlite/sqlite-connection.ts";
import { foreignTableError, StorageError, toStorageError } from "./sqlite/storage-error.ts";
import {
  logPages,
  openWriteAheadLog,
  usualBusyTimeoutMs,
  type WriteAheadLog,
  type WriteAheadLogOptions,
} from "./sqlite/write-ahead-log.ts";

/** What Keyv does of what is needed here. Without an `error` listener it throws instead of emitting. */
interface Store {
  get(key: string): Promise<unknown>;
  set(key: string, value: Json): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  disconnect(): Promise<void>;
}

/** Characters of values that are kept in memory. */
const cacheSize = 4_000_000;

/** Keys read at a time. */
const pageSize = 500;

/** The table and index of @keyv/sqlite 6, as the adapter would make them. */
const table = `
  CREATE TABLE "keyv" (
    key VARCHAR(255) NOT NULL,
    value TEXT,
    namespace VARCHAR(255) NOT NULL DEFAULT '',
    expires BIGINT DEFAULT NULL,
    UNIQUE (key, namespace)
  );
  CREATE INDEX "keyv_expires_idx" ON "keyv" (expires) WHERE expires IS NOT NULL`;

const columns = ["key", "value", "namespace", "expires"];

/**
 * The formats of the file. The adapter finds its table and changes nothing: its own upgrade of a table of Keyv 5 takes four statements
 * without a transaction (https://github.com/jaredwray/keyv/pull/2063), and a crash between them hides every value. No Knack has written
 * such a table.
 */
const migrationsOf = (path: string): readonly Migration[] => [
  (database) => {
    const found = database.prepare("SELECT name FROM pragma_table_info('keyv')").all();
    if (found.length === 0) database.exec(table);
    else if (found.map(({ name }) => name).join() !== columns.join()) throw foreignTableError(path, "keyv");
  },
];

// The adapter's table; its keys are stored in UTF-8, so SQLite orders them by their bytes.
const nextKeys = `SELECT key FROM "keyv" WHERE namespace = '' AND key >= ? AND key > ? ORDER BY key LIMIT ${pageSize}`;

/** Stands for a key without a value; no JSON text is empty. */
const nothing = "";

/**
 * Opens or creates a key-value store in a SQLite file, for one process: `update` is atomic within it. A change resolves when it
 * is on the disk; changes at the same time share a sync. While another process holds the file they wait for `busyTimeoutMs`
 * (5,000 unless told) without blocking the thread.
 * @throws StorageError, as does every method
 */
export async function openKeyValue(
  path: string,
  options: Omit<SqliteOptions, "maxPages"> = {},
): Promise<KeyValue> {
  await migrateSqlite(path, migrationsOf(path), options);
  const { store, log, keysFrom } = await openStore(path, options);
  const mutex = new KeyedMutex();
  const writeInLine = createWriteQueue(options.busyTimeoutMs ?? usualBusyTimeoutMs);
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
    if (cached !== undefined) return cached === nothing ? undefined : (parseExactly(cached) as Json);
    const value = (await store.get(key)) as Json | undefined;
    known.set(key, value === undefined ? nothing : JSON.stringify(value));
    return value;
  };
  const write = async (key: string, change: () => Promise<boolean>) => {
    known.delete(key);
    const taken = await writeInLine(() => guarded(change));
    log.wrote();
    return taken;
  };
  const set = async (key: string, value: Json) => {
    if (!(await write(key, () => store.set(key, value)))) throw refusedError(path, key);
  };
  /** One change of a key after the other; who waits for the disk does not hold up the next. */
  const changing = <T>(key: string, work: () => Promise<T>) =>
    guarded(async () => {
      const result = await mutex.run(key, work);
      await log.durable();
      return result;
    });
  let closed: Promise<void> | undefined;
  return {
    // What is stored under a key is what its users put there.
    // In line with writes of the key, or an old value could be remembered over a new one.
    get: (key) => guarded(() => (known.has(key) ? read(key) : mutex.run(key, () => read(key)))),
    set: (key, value) => changing(key, () => set(key, value)),
    delete: (key) => changing(key, async () => void (await write(key, () => store.delete(key)))),
    async *keys(prefix) {
      for (let last: string | undefined; ; ) {
        const page = await guarded(() => keysFrom(prefix, last));
        for (const key of page) {
          if (!key.startsWith(prefix)) return;
          yield key;
        }
        if (page.length < pageSize) return;
        last = page.at(-1);
        // Answers of the file come without a pause: the process does other things in between.
        await nextTick();
      }
    },
    update: <T extends Json>(key: string, change: (value: T | undefined) => T) =>
      changing(key, async () => {
        const value = change((await read(key)) as T | undefined);
        await set(key, value);
        return value;
      }),
    scrub: () => writeInLine(log.rebuild, { alone: true }),
    close() {
      closed ??= guarded(async () => {
        await log.close();
        await store.disconnect();
      });
      return closed;
    },
  };
}

interface OpenStore {
  store: Store;
  log: WriteAheadLog;
  /** A page of the keys from `first` on that are behind `after`, in order. */
  keysFrom(first: string, after: string | undefined): Promise<string[]>;
}

async function openStore(path: string, options: WriteAheadLogOptions): Promise<OpenStore> {
  const [{ Keyv }, { KeyvSqlite }] = await Promise.all([import("keyv"), import("@keyv/sqlite")]);
  const busyTimeout = blockingMs;
  const adapter = new KeyvSqlite({ uri: `sqlite://${path}`, driver: "node:sqlite", wal: true, busyTimeout });
  try {
    await adapter.ready;
    await adapter.query("PRAGMA synchronous = NORMAL");
    await adapter.query("PRAGMA wal_autocheckpoint = 0");
  } catch (error) {
    throw toStorageError(error, path);
  }
  const look = async () => (await adapter.query(logPages))[0];
  const store = new Keyv({
    store: adapter,
    serialization: { stringify: JSON.stringify, parse: <T>(text: string) => parseExactly(text) as T },
  });
  const keysFrom = async (first: string, after = "") => {
    const rows = (await adapter.query(nextKeys, first, after)) as { key: string }[];
    return rows.map(({ key }) => key);
  };
  try {
    return { store, keysFrom, log: await openWriteAheadLog(path, look, options) };
  } catch (error) {
    await store.disconnect();
    throw error;
  }
}

function refusedError(path: string, key: string): StorageError {
  return new StorageError("unavailable", path, `The store ${path} did not take the value of "${key}"`);
}
