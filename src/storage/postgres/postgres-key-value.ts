import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { KeyValue } from "../../core/ports/storage.ts";
import type { Json } from "../../core/values/json.ts";
import { inPages, type Row } from "../tables.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** Values are JSON text, which keeps every digit and U+0000; `jsonb` refuses U+0000. Keys are ordered by their bytes. */
export const keyValueTables = `
  CREATE TABLE kv (
    key text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
  );
`;

/** Keys read at a time. */
const pageSize = 500;

/**
 * The key-value store on a connection whose schema has its table; the connection belongs to its owner, and closing the store does nothing.
 * Any number of processes use it at once: `update` is atomic across them, and nothing is cached. Keys have at most 2,600 bytes and no
 * U+0000.
 *
 * It is not `@keyv/postgres`: version 2 is for Keyv 5, and an adapter has no way to change a value only if it is still the one that was
 * read.
 */
export function createPostgresKeyValue(connection: PostgresConnection): KeyValue {
  /** Changes of a key that this process makes are stored in the order in which it asked for them. */
  const inLine = new KeyedMutex();
  return {
    async get(key) {
      const row = await connection.get("SELECT value FROM kv WHERE key = $1", key);
      return row === undefined ? undefined : (connection.parse(row.value) as Json);
    },
    set: (key, value) =>
      inLine.run(key, async () => {
        await connection.run(
          "INSERT INTO kv (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
          ...[key, JSON.stringify(value)],
        );
      }),
    delete: (key) =>
      inLine.run(key, async () => void (await connection.run("DELETE FROM kv WHERE key = $1", key))),
    keys: (prefix) => keys(connection, prefix),
    update: (key, change) => inLine.run(key, () => update(connection, key, change)),
    scrub: () => connection.rewrite("kv"),
    close: async () => {},
  };
}

async function* keys(connection: PostgresConnection, prefix: string): AsyncGenerator<string> {
  const page = `SELECT key FROM kv WHERE key >= $1 AND key > $2 ORDER BY key LIMIT ${pageSize}`;
  const rows = inPages<Row>(pageSize, (last) => connection.all(page, prefix, String(last?.key ?? "")));
  for await (const row of rows) {
    const key = String(row.key);
    if (!key.startsWith(prefix)) return;
    yield key;
  }
}

/**
 * Writes the changed value if the row is still the one that was read, and begins again otherwise: no lock is held while `change` runs or
 * messages travel, and of several processes one always succeeds. `xmin` is the transaction that wrote the row.
 */
async function update<T extends Json>(
  connection: PostgresConnection,
  key: string,
  change: (value: T | undefined) => T,
): Promise<T> {
  for (;;) {
    const row = await connection.get("SELECT value, xmin::text AS version FROM kv WHERE key = $1", key);
    // Users of a key decide the type of its value.
    const value = change(row && (connection.parse(row.value) as T));
    const text = JSON.stringify(value);
    const written =
      row === undefined
        ? await connection.run(
            "INSERT INTO kv (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
            key,
            text,
          )
        : await connection.run(
            "UPDATE kv SET value = $2 WHERE key = $1 AND xmin = $3::text::xid",
            ...[key, text, String(row.version)],
          );
    if (written === 1) return value;
  }
}
