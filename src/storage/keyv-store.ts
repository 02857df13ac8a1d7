import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { parseExactly } from "../base/exact-number.ts";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { KeyValue } from "../core/ports/storage.ts";
import type { Json } from "../core/values/json.ts";
import {
  blockingMs,
  createWriteQueue,
  prepareSqlite,
  type SqliteOptions,
} from "./sqlite/sqlite-connection.ts";
import {
  defaultBusyTimeoutMs,
  logPages,
  openWriteAheadLog,
  type WriteAheadLog,
  type WriteAheadLogOptions,
} from "./sqlite/write-ahead-log.ts";
import { guarded, StorageError } from "./storage-error.ts";
import type { StoreFormat } from "./store-format.ts";
import { inPages } from "./tables.ts";

/** The part of Keyv that is used here. Without an `error` listener it throws instead of emitting. */
interface Store {
  get(key: string): Promise<unknown>;
  set(key: string, value: Json): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  disconnect(): Promise<void>;
}

/** Maximum characters of values that are kept in memory. */
const cacheSize = 4_000_000;

/** Keys read at a time. */
const pageSize = 500;

/**
 * The table and index of @keyv/sqlite 6, as the adapter would make them. It finds its table and changes nothing: its own upgrade of a table
 * of Keyv 5 takes four statements without a transaction (https://github.com/jaredwray/keyv/pull/2063), and a crash between them hides every
 * value.
 */
export const keyValueFormat: StoreFormat = {
  number: 1,
  tables: `
    CREATE TABLE "keyv" (
      key VARCHAR(255) NOT NULL,
      value TEXT,
      namespace VARCHAR(255) NOT NULL DEFAULT '',
      expires BIGINT DEFAULT NULL,
      UNIQUE (key, namespace)
    );
    CREATE INDEX "keyv_expires_idx" ON "keyv" (expires) WHERE expires IS NOT NULL`,
};

// The adapter's table; its keys are stored in UTF-8, so SQLite orders them by their bytes.
const nextKeys = `SELECT key FROM "keyv" WHERE namespace = '' AND key >= ? AND key > ? ORDER BY key LIMIT ${pageSize}`;

/** Marks a key without a value; no JSON text is empty. */
const nothing = "";

/**
 * Opens or creates a key-value store in a SQLite file, for one process: `update` is atomic within it. A change resolves when it is on the
 * disk; concurrent changes share a sync. While another process holds the file, changes wait up to `busyTimeoutMs` (default 5,000) without
 * blocking the thread.
 * @throws StorageError, as does every method
 */
export async function openKeyValue(
  path: string,
  options: Omit<SqliteOptions, "maxPages"> = {},
): Promise<KeyValue> {
  await prepareSqlite(path, keyValueFormat, options);
  const { store, log, keysFrom } = await openStore(path, options);
  const mutex = new KeyedMutex();
  const writeInLine = createWriteQueue(options.busyTimeoutMs ?? defaultBusyTimeoutMs);
  // Only this process writes the file, so values it has read stay valid. Kept as text: objects are not shared.
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
    const taken = await writeInLine(() => guarded(path, change));
    log.wrote();
    return taken;
  };
  const set = async (key: string, value: Json) => {
    if (!(await write(key, () => store.set(key, value)))) throw refusedError(path, key);
  };
  /** Changes of a key run one after the other; waiting for the disk does not delay the next. */
  const changing = <T>(key: string, work: () => Promise<T>) =>
    guarded(path, async () => {
      const result = await mutex.run(key, work);
      await log.durable();
      return result;
    });
  let closed: Promise<void> | undefined;
  return {
    // Users of a key decide the type of its value. Reads queue with the writes of the key; otherwise an old value could replace a new one
    // in memory.
    get: (key) => guarded(path, () => (known.has(key) ? read(key) : mutex.run(key, () => read(key)))),
    set: (key, value) => changing(key, () => set(key, value)),
    delete: (key) => changing(key, async () => void (await write(key, () => store.delete(key)))),
    async *keys(prefix) {
      const pages = inPages<string>(pageSize, async (last) => {
        // The file answers synchronously: this gives other work a turn.
        if (last !== undefined) await nextTick();
        return guarded(path, () => keysFrom(prefix, last));
      });
      for await (const key of pages) {
        if (!key.startsWith(prefix)) return;
        yield key;
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
      closed ??= guarded(path, async () => {
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
  /** A page of the keys from `first` on that come after `after`, in order. */
  keysFrom(first: string, after: string | undefined): Promise<string[]>;
}

async function openStore(path: string, options: WriteAheadLogOptions): Promise<OpenStore> {
  const [{ Keyv }, { KeyvSqlite }] = await Promise.all([import("keyv"), import("@keyv/sqlite")]);
  const busyTimeout = blockingMs;
  const adapter = new KeyvSqlite({ uri: `sqlite://${path}`, driver: "node:sqlite", wal: true, busyTimeout });
  await guarded(path, async () => {
    await adapter.ready;
    await adapter.query("PRAGMA synchronous = NORMAL");
    await adapter.query("PRAGMA wal_autocheckpoint = 0");
  });
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
