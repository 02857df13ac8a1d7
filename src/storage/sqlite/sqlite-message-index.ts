import { setImmediate as nextTick } from "node:timers/promises";
import type { IndexedMessage, MessageIndex, MessageQuery } from "../../core/ports/chat-actions.ts";
import { extent, extentOf, messageOf } from "../message-rows.ts";
import type { StoreFormat } from "../store-format.ts";
import { wordsIn } from "../words.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";

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
  return {
    put: (messages) =>
      connection.write(() =>
        connection.transaction(() => {
          for (const message of messages) putMessage(connection, message);
        }),
      ),
    remove: (namespace, reference) =>
      connection.write(() =>
        connection.transaction(() => {
          const found = connection.get(find, namespace, reference);
          if (found !== undefined) drop(connection, Number(found.ordinal));
        }),
      ),
    clear: (namespace) => clear(connection, "namespace = ?", namespace),
    async clearBefore(before, namespace) {
      const all = () => connection.all("SELECT DISTINCT namespace FROM messages").map((row) => row.namespace);
      let count = 0;
      for (const each of namespace === undefined ? all() : [namespace])
        count += await clear(connection, "namespace = ? AND at < ?", String(each), before);
      return count;
    },
    clearAuthor: (author, isThere, options) => clearAuthor(connection, author, isThere, options),
    scrub: () => connection.rebuild(),
    search: async (namespace, query) => search(connection, namespace, query),
    extent: async (namespace) => extentOf(connection.get(extent, namespace)),
  };
}

const find = "SELECT ordinal FROM messages WHERE namespace = ? AND reference = ?";

function putMessage(connection: SqliteConnection, message: IndexedMessage): void {
  const { namespace, reference, thread, author, text, at } = message;
  const before = connection.get(find, namespace, reference);
  if (before !== undefined) drop(connection, Number(before.ordinal));
  connection.run(
    "INSERT INTO messages (namespace, reference, thread, author_id, author, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[namespace, reference, thread ?? null, author.id, author.name, at, text],
  );
  const ordinal = Number(connection.get(find, namespace, reference)?.ordinal);
  connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", ordinal, text);
}

function drop(connection: SqliteConnection, ordinal: number): void {
  connection.run("DELETE FROM words WHERE rowid = ?", ordinal);
  connection.run("DELETE FROM messages WHERE ordinal = ?", ordinal);
}

/** Removes the messages that match a condition, a part at a time; returns how many. */
async function clear(
  connection: SqliteConnection,
  where: string,
  ...values: (string | number)[]
): Promise<number> {
  const next = `SELECT ordinal FROM messages WHERE ${where} LIMIT ${removedAtOnce}`;
  let count = 0;
  for (let removed = removedAtOnce; removed === removedAtOnce; await nextTick()) {
    removed = await connection.write(() =>
      connection.transaction(() => {
        const ordinals = connection.all(next, ...values).map(({ ordinal }) => Number(ordinal));
        for (const ordinal of ordinals) drop(connection, ordinal);
        return ordinals.length;
      }),
    );
    count += removed;
  }
  // The write-ahead log still has the old pages.
  if (count > 0) await connection.truncateLog();
  return count;
}

async function clearAuthor(
  connection: SqliteConnection,
  author: string,
  isThere: (namespace: string) => boolean,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const where = "author_id = ? AND namespace = ?";
  const rows = connection.all(
    "SELECT namespace, count(*) AS n FROM messages WHERE author_id = ? GROUP BY namespace",
    author,
  );
  let count = 0;
  for (const { namespace, n } of rows)
    if (isThere(String(namespace)))
      count += dryRun ? Number(n) : await clear(connection, where, author, String(namespace));
  return count;
}

function search(connection: SqliteConnection, namespace: string, query: MessageQuery): IndexedMessage[] {
  const text = matchOf(query);
  if (text === "") return [];
  const { since = 0, until = Number.MAX_SAFE_INTEGER, author = null, most } = query;
  const rows = connection.all(
    `SELECT m.* FROM words JOIN messages m ON m.ordinal = words.rowid
     WHERE words MATCH ?1 AND m.namespace = ?2 AND m.at BETWEEN ?3 AND ?4 AND (?5 IS NULL OR m.author_id = ?5)
     ORDER BY m.at DESC, m.ordinal DESC LIMIT ?6`,
    ...[text, namespace, Math.ceil(since), Math.floor(until), author, most],
  );
  return rows.map(messageOf);
}

/** Every word as a quoted string, so that it contains no syntax of the index; each matches as a prefix. */
function matchOf({ words }: Pick<MessageQuery, "words">): string {
  return words
    .flatMap(wordsIn)
    .map((word) => `"${word}"*`)
    .join(" ");
}
