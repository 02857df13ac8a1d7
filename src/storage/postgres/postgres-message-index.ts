import type { IndexedMessage, MessageIndex, MessageQuery } from "../../core/ports/chat-actions.ts";
import { extent, extentOf, messageOf } from "../message-rows.ts";
import { channelWord, foldedWords, quotedWord } from "../words.ts";
import { type PostgresConnection, type PostgresSession, storableText } from "./postgres-connection.ts";

/** Times have fractions of a millisecond on some platforms. */
export const messageTables = `
  CREATE TABLE messages (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    reference text COLLATE "C" NOT NULL,
    thread text,
    author_id text COLLATE "C" NOT NULL,
    author text NOT NULL,
    at double precision NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    UNIQUE (namespace, reference)
  );
  CREATE INDEX messages_by_time ON messages (namespace, at);
  CREATE INDEX messages_of_author ON messages (author_id, namespace);
  CREATE INDEX messages_by_words ON messages USING gin (words);
`;

/** The index of messages on a connection whose schema has its table. Any number of processes use it at once. */
export function createPostgresMessageIndex(connection: PostgresConnection): MessageIndex {
  return {
    put: (messages) =>
      connection.transaction(async (session) => {
        for (const message of messages) await putMessage(session, message);
      }),
    async remove(namespace, reference) {
      await connection.run(
        "DELETE FROM messages WHERE namespace = $1 AND reference = $2",
        namespace,
        reference,
      );
    },
    clear: (namespace) => connection.run("DELETE FROM messages WHERE namespace = $1", namespace),
    clearBefore: (before, namespace) =>
      connection.run(
        "DELETE FROM messages WHERE at < $1 AND ($2::text IS NULL OR namespace = $2)",
        ...[before, namespace ?? null],
      ),
    clearAuthor: (author, isThere, options) => clearAuthor(connection, author, isThere, options),
    scrub: () => connection.rewrite("messages"),
    search: (namespace, query) => search(connection, namespace, query),
    extent: async (namespace) => extentOf(await connection.get(extent, namespace)),
  };
}

async function putMessage(session: PostgresSession, message: IndexedMessage): Promise<void> {
  const { namespace, reference, thread, author, text, at } = message;
  await session.run(
    `INSERT INTO messages (namespace, reference, thread, author_id, author, at, text, words)
     VALUES ($1, $2, $3, $4, $5, $6, $7, array_to_tsvector($8::text[]))
     ON CONFLICT (namespace, reference) DO UPDATE SET thread = excluded.thread, author_id = excluded.author_id,
       author = excluded.author, at = excluded.at, text = excluded.text, words = excluded.words`,
    ...[namespace, reference, thread ?? null, author.id, storableText(author.name), at, storableText(text)],
    messageWords(namespace, text),
  );
}

/** The words that find a message, each once. */
export function messageWords(namespace: string, text: string): string[] {
  return [...new Set([channelWord(namespace), ...foldedWords(text)])];
}

async function clearAuthor(
  connection: PostgresConnection,
  author: string,
  isThere: (namespace: string) => boolean,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const rows = await connection.all(
    "SELECT namespace, count(*) AS n FROM messages WHERE author_id = $1 GROUP BY namespace",
    author,
  );
  const there = rows.filter(({ namespace }) => isThere(String(namespace)));
  if (dryRun) return there.reduce((sum, { n }) => sum + Number(n), 0);
  return connection.run(
    "DELETE FROM messages WHERE author_id = $1 AND namespace = ANY ($2)",
    ...[author, there.map(({ namespace }) => String(namespace))],
  );
}

async function search(
  connection: PostgresConnection,
  namespace: string,
  query: MessageQuery,
): Promise<IndexedMessage[]> {
  const words = foldedWords(query.words.join(" "));
  if (words.length === 0) return [];
  const { since = 0, until = Number.MAX_SAFE_INTEGER, author = null, most } = query;
  // Each word matches as a prefix.
  const match = [quotedWord(channelWord(namespace)), ...words.map((word) => `${quotedWord(word)}:*`)];
  const rows = await connection.all(
    `SELECT namespace, reference, thread, author_id, author, at, text FROM messages
     WHERE words @@ $1::tsquery AND namespace = $2 AND at BETWEEN $3 AND $4 AND ($5::text IS NULL OR author_id = $5)
     ORDER BY at DESC, ordinal DESC LIMIT $6`,
    ...[match.join(" & "), namespace, since, until, author, most],
  );
  return rows.map(messageOf);
}
