import type { MessageQuery } from "../core/chat-actions.ts";
import type { IndexedMessage, MessageIndex } from "../core/message-index.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions, type SqlRow } from "./sqlite-connection.ts";

/** `words` holds no texts of its own: what is deleted from `messages` and from it is gone. */
export const messageIndexMigrations: readonly string[] = [
  `
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
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  `,
];

/** Opens or creates the index in a SQLite file. @throws StorageError, as does every method */
export async function openSqliteMessageIndex(
  path: string,
  options: SqliteOptions = {},
): Promise<MessageIndex & { close(): Promise<void> }> {
  const connection = await openSqlite(path, messageIndexMigrations, options);
  return { ...createMessageIndex(connection), close: () => connection.close() };
}

/** The index on an open file that has its tables. */
export function createMessageIndex(connection: SqliteConnection): MessageIndex {
  const find = "SELECT ordinal FROM messages WHERE namespace = ? AND reference = ?";
  const drop = (ordinal: number): void => {
    connection.run("DELETE FROM words WHERE rowid = ?", ordinal);
    connection.run("DELETE FROM messages WHERE ordinal = ?", ordinal);
  };
  const put = (message: IndexedMessage): void => {
    const { namespace, reference, thread, author, text, at } = message;
    const before = connection.get(find, namespace, reference);
    if (before !== undefined) drop(Number(before.ordinal));
    connection.run(
      "INSERT INTO messages (namespace, reference, thread, author_id, author, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[namespace, reference, thread ?? null, author.id, author.name, at, text],
    );
    const ordinal = Number(connection.get(find, namespace, reference)?.ordinal);
    connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", ordinal, text);
  };
  /** Removes what a condition fits, words first; answers how many. */
  const clear = (where: string, ...values: (string | number)[]): Promise<number> =>
    connection.write(() =>
      connection.transaction(() => {
        connection.run(
          `DELETE FROM words WHERE rowid IN (SELECT ordinal FROM messages WHERE ${where})`,
          ...values,
        );
        return connection.run(`DELETE FROM messages WHERE ${where}`, ...values);
      }),
    );

  return {
    put: (messages) => connection.write(() => connection.transaction(() => messages.forEach(put))),
    async remove(namespace, reference) {
      await clear("namespace = ? AND reference = ?", namespace, reference);
    },
    clear: (namespace) => clear("namespace = ?", namespace),
    clearBefore: (before, namespace) =>
      namespace === undefined
        ? clear("at < ?", before)
        : clear("at < ? AND namespace = ?", before, namespace),
    clearAuthor: (author, prefix = "") =>
      clear("author_id = ?1 AND substr(namespace, 1, length(?2)) = ?2", author, prefix),
    async search(namespace, query) {
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
    },
    async extent(namespace) {
      const row = connection.get(
        "SELECT count(*) AS n, min(at) AS since, max(at) AS newest FROM messages WHERE namespace = ?",
        namespace,
      );
      const messages = Number(row?.n ?? 0);
      return messages === 0
        ? { messages }
        : { messages, since: Number(row?.since), newest: Number(row?.newest) };
    },
  };
}

/** Every word as a quoted string, so that nothing of it is the index's own syntax; each matches from its beginning. */
function matchOf({ words }: Pick<MessageQuery, "words">): string {
  return words
    .flatMap((word) => word.match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => `"${word}"*`)
    .join(" ");
}

function messageOf({ namespace, reference, thread, author_id, author, at, text }: SqlRow): IndexedMessage {
  return {
    namespace: String(namespace),
    reference: String(reference),
    ...(thread === null ? {} : { thread: String(thread) }),
    author: { id: String(author_id), name: String(author) },
    text: String(text),
    at: Number(at),
  };
}
