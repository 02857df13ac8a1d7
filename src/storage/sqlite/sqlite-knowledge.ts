import { setImmediate as nextTick } from "node:timers/promises";
import type { FoundPiece, Knowledge, KnownDocument, KnownPiece } from "../../core/ports/services.ts";
import {
  bytesOf,
  candidates,
  documentOf,
  joined,
  nearest,
  queryWords,
  withoutCommon,
} from "../knowledge-search.ts";
import type { StoreFormat } from "../store-format.ts";
import { gap, spaced } from "../words.ts";
import { openSqlite, type SqliteConnection, type SqliteOptions } from "./sqlite-connection.ts";

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
/** Pieces of a document that are read at a time. */
const readAtOnce = 100;
type NewDocument = Parameters<Knowledge["add"]>[1];

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
  return {
    add: (namespace, document, pieces) => addDocument(connection, namespace, document, pieces),
    async list(namespace) {
      return connection.all(`${find} ORDER BY at DESC, id DESC`, namespace).map(documentOf);
    },
    async remove(namespace, ids) {
      const gone = await write(connection, () =>
        ids.flatMap((id) => drop(connection, "namespace = ? AND id = ?", namespace, id)),
      );
      if (gone.length > 0) await purge(connection);
      return gone;
    },
    clearAuthor: (author, isThere, options) => clearAuthor(connection, author, isThere, options),
    async scrub() {
      // Left over from an earlier process that ended before it could delete them.
      await purge(connection);
      await connection.rebuild();
    },
    read: (namespace, id) => readPieces(connection, namespace, id),
    async namespaces() {
      const rows = connection.all("SELECT DISTINCT namespace FROM documents ORDER BY namespace");
      return rows.map(({ namespace }) => String(namespace));
    },
    async search(namespace, { words, vector, model, most }) {
      const near =
        vector === undefined || model === undefined
          ? []
          : await nearest(vector, (before, most) => connection.all(vectors, namespace, model, before, most));
      return joined(byWords(connection, namespace, words), near)
        .slice(0, most)
        .flatMap(({ ordinal, score }) => pieceOf(connection, ordinal, score));
    },
  };
}

const find = "SELECT * FROM documents WHERE namespace = ?";

const vectors = `
  SELECT ordinal, vector FROM pieces WHERE namespace = ? AND model = ? AND vector IS NOT NULL AND ordinal < ?
  ORDER BY ordinal DESC LIMIT ?`;

function write<T>(connection: SqliteConnection, work: () => T): Promise<T> {
  return connection.write(() => connection.transaction(work));
}

async function addDocument(
  connection: SqliteConnection,
  namespace: string,
  { title, source, author, by, at }: NewDocument,
  pieces: readonly KnownPiece[],
): Promise<KnownDocument> {
  const characters = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const document = await write(connection, () => {
    drop(connection, "namespace = ? AND source = ?", namespace, source);
    connection.run(
      "INSERT INTO documents (namespace, title, source, author, by_name, at, pieces, characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[namespace, title, source, author, by, at, pieces.length, characters],
    );
    const added = documentOf(connection.get(`${find} AND source = ?`, namespace, source) ?? {});
    for (const piece of pieces) {
      addPiece(connection, namespace, added.id, spaced(`${title} ${piece.place}`.trim()), piece);
    }
    return added;
  });
  await purge(connection);
  return document;
}

function addPiece(
  connection: SqliteConnection,
  namespace: string,
  document: number,
  about: string,
  { text, place, vector, model }: KnownPiece,
): void {
  const isKnown = vector !== undefined && model !== undefined;
  connection.run(
    "INSERT INTO pieces (namespace, document, place, model, vector) VALUES (?, ?, ?, ?, ?)",
    ...[namespace, document, place, isKnown ? model : null, isKnown ? bytesOf(vector) : null],
  );
  const ordinal = Number(connection.get("SELECT last_insert_rowid() AS ordinal")?.ordinal);
  connection.run("INSERT INTO words (rowid, text, about) VALUES (?, ?, ?)", ordinal, spaced(text), about);
}

async function clearAuthor(
  connection: SqliteConnection,
  author: string,
  isThere: (namespace: string) => boolean,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const theirs = connection.all("SELECT id, namespace FROM documents WHERE author = ?", author);
  const ids = theirs.filter(({ namespace }) => isThere(String(namespace))).map(({ id }) => Number(id));
  if (dryRun || ids.length === 0) return ids.length;
  const gone = await write(connection, () =>
    ids.flatMap((id) => drop(connection, "id = ? AND author = ?", id, author)),
  );
  await purge(connection);
  // The write-ahead log still has the old pages.
  await connection.truncateLog();
  return gone.length;
}

/** Removes documents, and returns them. Their pieces are no longer found; `purge` deletes them. */
function drop(connection: SqliteConnection, where: string, ...values: (string | number)[]): KnownDocument[] {
  const gone = connection.all(`SELECT * FROM documents WHERE ${where}`, ...values).map(documentOf);
  for (const { id } of gone) {
    connection.run("UPDATE pieces SET document = ?, namespace = '' WHERE document = ?", droppedDocument, id);
    connection.run("DELETE FROM documents WHERE id = ?", id);
  }
  return gone;
}

/** Deletes dropped pieces, a few at a time: removing a text's words from the index takes a millisecond or two. */
async function purge(connection: SqliteConnection): Promise<void> {
  for (let deleted = purgedAtOnce; deleted === purgedAtOnce; ) {
    deleted = await write(connection, () => {
      const some = `SELECT ordinal FROM pieces WHERE document = ${droppedDocument} ORDER BY ordinal LIMIT ${purgedAtOnce}`;
      connection.run(`DELETE FROM words WHERE rowid IN (${some})`);
      return connection.run(`DELETE FROM pieces WHERE ordinal IN (${some})`);
    });
    await nextTick();
  }
}

async function* readPieces(
  connection: SqliteConnection,
  namespace: string,
  document: number,
): AsyncGenerator<Pick<KnownPiece, "text" | "place">> {
  for (let after = 0; ; ) {
    const rows = connection.all(
      `SELECT p.ordinal, p.place, w.text FROM pieces p JOIN words w ON w.rowid = p.ordinal
       WHERE p.namespace = ? AND p.document = ? AND p.ordinal > ? ORDER BY p.ordinal LIMIT ?`,
      ...[namespace, document, after, readAtOnce],
    );
    for (const { place, text } of rows) yield { text: shown(text), place: String(place) };
    if (rows.length < readAtOnce) return;
    after = Number(rows.at(-1)?.ordinal);
  }
}

/** Ordinals of pieces with any of the words, the best first: rare words count more than common ones, those of title and place less. */
function byWords(connection: SqliteConnection, namespace: string, words: string): number[] {
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
  return withoutCommon(
    rows.map(({ ordinal, score }) => ({ ordinal: Number(ordinal), score: -Number(score) })),
  );
}

/** Empty if it was deleted meanwhile. */
function pieceOf(connection: SqliteConnection, ordinal: number, score: number): FoundPiece[] {
  const row = connection.get(
    `SELECT d.*, p.place AS place, w.text AS text FROM pieces p JOIN documents d ON d.id = p.document
     JOIN words w ON w.rowid = p.ordinal WHERE p.ordinal = ?`,
    ordinal,
  );
  if (row === undefined) return [];
  return [{ document: documentOf(row), place: String(row.place), text: shown(row.text), score }];
}

/** The text as people wrote it. */
function shown(stored: unknown): string {
  return String(stored).replaceAll(gap, "");
}
