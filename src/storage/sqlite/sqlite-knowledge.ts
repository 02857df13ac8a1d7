import { setImmediate as nextTick } from "node:timers/promises";
import type { Knowledge } from "../../core/ports/services.ts";
import { bytesOf, candidates, queryWords, type ScoredPiece } from "../knowledge-search.ts";
import { createKnowledgeStore, type KnowledgeTables } from "../knowledge-store.ts";
import type { StoreFormat } from "../store-format.ts";
import { spaced } from "../words.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/**
 * `words` is the only table with the text of a piece. `secure-delete` removes deleted words from the index immediately, not when it is next
 * rewritten.
 */
export const knowledgeFormat: StoreFormat = {
  number: 1,
  tables: `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    author TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    UNIQUE (namespace, source)
  );
  CREATE INDEX documents_of_author ON documents(author, namespace);
  CREATE TABLE pieces (
    ordinal INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    document INTEGER NOT NULL,
    place TEXT NOT NULL,
    model TEXT,
    vector BLOB
  );
  CREATE INDEX pieces_of_document ON pieces(document);
  CREATE INDEX vectors ON pieces(namespace, model, ordinal) WHERE vector IS NOT NULL;
  CREATE VIRTUAL TABLE words USING fts5(text, about, tokenize = 'porter unicode61 remove_diacritics 2');
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
  `,
};

/** The document id of pieces that are to be deleted. */
const droppedDocument = 0;
/** Pieces deleted before other work gets a turn. */
const purgedAtOnce = 20;

/** Opens or creates the store in a SQLite file. @throws StorageError, as does every method */
export async function openSqliteKnowledge(
  path: string,
  options: SqliteOptions = {},
): Promise<Knowledge & { close(): Promise<void> }> {
  const connection = await openSqlite(path, knowledgeFormat, options);
  return { ...createKnowledge(connection), close: () => connection.close() };
}

/** The store on an open file that has its tables. */
export function createKnowledge(connection: SqliteConnection): Knowledge {
  return createKnowledgeStore({
    ...sqliteTables(connection),
    pieces: "pieces p JOIN words w ON w.rowid = p.ordinal",
    text: "w.text",
    *lock() {},
    addPieces,
    *dropPieces(document) {
      yield [`UPDATE pieces SET document = ${droppedDocument}, namespace = '' WHERE document = $1`, document];
    },
    async purge({ forgets } = {}) {
      await purge(connection);
      // The write-ahead log still has the old pages.
      if (forgets) await connection.truncateLog();
    },
    byWords: (namespace, words) => byWords(connection, namespace, words),
    async scrub() {
      // Left over from an earlier process that ended before it could delete them.
      await purge(connection);
      await connection.rebuild();
    },
  });
}

function* addPieces(
  ...[namespace, { id, title }, pieces]: Parameters<KnowledgeTables["addPieces"]>
): ReturnType<KnowledgeTables["addPieces"]> {
  for (const { text, place, vector, model } of pieces) {
    const isKnown = vector !== undefined && model !== undefined;
    const [row] = yield [
      `INSERT INTO pieces (namespace, document, place, model, vector) VALUES ($1, $2, $3, $4, $5)
       RETURNING ordinal`,
      ...[namespace, id, place, isKnown ? model : null, isKnown ? bytesOf(vector) : null],
    ];
    const words = [Number(row?.ordinal), spaced(text), spaced(`${title} ${place}`.trim())];
    yield ["INSERT INTO words (rowid, text, about) VALUES ($1, $2, $3)", ...words];
  }
}

/** Deletes dropped pieces, a few at a time: removing a text's words from the index takes a millisecond or two. */
async function purge(connection: SqliteConnection): Promise<void> {
  for (let deleted = purgedAtOnce; deleted === purgedAtOnce; ) {
    deleted = await connection.transaction(() => {
      const some = `SELECT ordinal FROM pieces WHERE document = ${droppedDocument} ORDER BY ordinal LIMIT ${purgedAtOnce}`;
      connection.run(`DELETE FROM words WHERE rowid IN (${some})`);
      return connection.run(`DELETE FROM pieces WHERE ordinal IN (${some})`);
    });
    await nextTick();
  }
}

function byWords(connection: SqliteConnection, namespace: string, words: string): ScoredPiece[] {
  // Every word as a quoted string, so that it contains no syntax of the index.
  const match = queryWords(words)
    .map(({ word, isPrefix }) => `"${word}"${isPrefix ? "*" : ""}`)
    .join(" OR ");
  if (match === "") return [];
  const rows = connection.all(
    `SELECT p.ordinal, bm25(words, 1.0, 0.5) AS score FROM words JOIN pieces p ON p.ordinal = words.rowid
     WHERE words MATCH ?1 AND p.namespace = ?2 ORDER BY score, p.ordinal LIMIT ?3`,
    ...[match, namespace, candidates],
  );
  // Scores of bm25 are negative: the lower the better.
  return rows.map(({ ordinal, score }) => ({ ordinal: Number(ordinal), score: -Number(score) }));
}
