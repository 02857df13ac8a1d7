import { setImmediate as nextTick } from "node:timers/promises";
import type { MessageIndex, MessageQuery } from "../../core/ports/chat-actions.ts";
import { createMessageStore } from "../message-store.ts";
import type { StoreFormat } from "../store-format.ts";
import type { Work } from "../tables.ts";
import { wordsIn } from "../words.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/**
 * `words` contains no texts of its own, and with `secure-delete` no words of deleted messages: without it they stay until the index is next
 * rewritten (https://sqlite.org/fts5.html#the_secure_delete_configuration_option). It reads a deleted text from `messages`, so a message is
 * removed from `words` first.
 */
export const messageIndexFormat: StoreFormat = {
  number: 1,
  tables: `
  CREATE TABLE messages (
    ordinal INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    reference TEXT NOT NULL,
    thread TEXT,
    author_id TEXT NOT NULL,
    author TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (namespace, reference)
  );
  CREATE INDEX messages_by_time ON messages(namespace, at);
  CREATE INDEX messages_of_author ON messages(author_id, namespace);
  CREATE VIRTUAL TABLE words USING fts5(
    text, content = 'messages', content_rowid = 'ordinal', tokenize = 'unicode61 remove_diacritics 2'
  );
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
  `,
};

/** Messages that one write removes: the words of each are removed from the index. */
const removedAtOnce = 20;

/** Opens or creates the index in a SQLite file. @throws StorageError, as does every method */
export async function openSqliteMessageIndex(
  path: string,
  options: SqliteOptions = {},
): Promise<MessageIndex & { close(): Promise<void> }> {
  const connection = await openSqlite(path, messageIndexFormat, options);
  return { ...createMessageIndex(connection), close: () => connection.close() };
}

/** The index on an open file that has its tables. */
export function createMessageIndex(connection: SqliteConnection): MessageIndex {
  const tables = sqliteTables(connection);
  return createMessageStore({
    ...tables,
    *put({ namespace, reference, thread, author, text, at }) {
      yield* drop("namespace = $1 AND reference = $2", namespace, reference);
      const [row] = yield [
        `INSERT INTO messages (namespace, reference, thread, author_id, author, at, text)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ordinal`,
        ...[namespace, reference, thread ?? null, author.id, author.name, at, text],
      ];
      yield ["INSERT INTO words (rowid, text) VALUES ($1, $2)", Number(row?.ordinal), text];
    },
    async remove(where, ...values) {
      let count = 0;
      for (let removed = removedAtOnce; removed === removedAtOnce; await nextTick()) {
        removed = await tables.write(() => drop(where, ...values));
        count += removed;
      }
      // The write-ahead log still has the old pages.
      if (count > 0) await connection.truncateLog();
      return count;
    },
    found: "FROM words JOIN messages m ON m.ordinal = words.rowid WHERE words MATCH $1",
    match: (_namespace, query) => matchOf(query),
    scrub: () => connection.rebuild(),
  });
}

/** Removes some messages that match a condition; returns how many. */
function* drop(where: string, ...values: (string | number)[]): Work<number> {
  const rows = yield [`SELECT ordinal FROM messages WHERE ${where} LIMIT ${removedAtOnce}`, ...values];
  for (const { ordinal } of rows)
    for (const sql of ["DELETE FROM words WHERE rowid = $1", "DELETE FROM messages WHERE ordinal = $1"])
      yield [sql, Number(ordinal)];
  return rows.length;
}

/** Every word as a quoted string, so that it contains no syntax of the index; each matches as a prefix. */
function matchOf({ words }: Pick<MessageQuery, "words">): string {
  return words
    .flatMap(wordsIn)
    .map((word) => `"${word}"*`)
    .join(" ");
}
