import type { MessageIndex } from "../../core/ports/chat-actions.ts";
import { createMessageStore } from "../message-store.ts";
import { channelWord, foldedWords, quotedWord } from "../words.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { postgresTables } from "./postgres-tables.ts";

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
  return createMessageStore({
    ...postgresTables(connection),
    *put({ namespace, reference, thread, author, text, at }) {
      yield [
        `INSERT INTO messages (namespace, reference, thread, author_id, author, at, text, words)
         VALUES ($1, $2, $3, $4, $5, $6, $7, array_to_tsvector($8::text[]))
         ON CONFLICT (namespace, reference) DO UPDATE SET thread = excluded.thread, author_id = excluded.author_id,
           author = excluded.author, at = excluded.at, text = excluded.text, words = excluded.words`,
        ...[namespace, reference, thread ?? null, author.id, author.name, at, text],
        messageWords(namespace, text),
      ];
    },
    remove: (where, ...values) => connection.run(`DELETE FROM messages WHERE ${where}`, ...values),
    found: "FROM messages m WHERE words @@ $1::tsquery",
    match(namespace, { words }) {
      const all = foldedWords(words.join(" ")).map((word) => `${quotedWord(word)}:*`);
      return all.length === 0 ? "" : [quotedWord(channelWord(namespace)), ...all].join(" & ");
    },
    scrub: () => connection.rewrite("messages"),
  });
}

/** The words that find a message, each once. */
export function messageWords(namespace: string, text: string): string[] {
  return [...new Set([channelWord(namespace), ...foldedWords(text)])];
}
