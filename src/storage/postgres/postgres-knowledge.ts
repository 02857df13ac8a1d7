import { stemmer } from "stemmer";
import { madeOnce } from "../../base/made-once.ts";
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
import { channelWord, foldedWords, quotedWord, spaced } from "../words.ts";
import {
  type PostgresConnection,
  type PostgresRow,
  type PostgresSession,
  storableText,
} from "./postgres-connection.ts";

export const knowledgeTables = `
  CREATE TABLE documents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    title text NOT NULL,
    source text NOT NULL,
    author text COLLATE "C" NOT NULL,
    by_name text NOT NULL,
    at bigint NOT NULL,
    pieces bigint NOT NULL,
    characters bigint NOT NULL
  );
  CREATE INDEX documents_of_channel ON documents (namespace, at);
  CREATE INDEX documents_of_author ON documents (author, namespace);
  CREATE TABLE pieces (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    place text NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    model text COLLATE "C",
    vector bytea
  );
  CREATE INDEX pieces_of_document ON pieces (document, ordinal);
  CREATE INDEX pieces_of_channel ON pieces (namespace);
  CREATE INDEX vectors ON pieces (namespace, model, ordinal) WHERE vector IS NOT NULL;
  CREATE INDEX pieces_by_words ON pieces USING gin (words);
`;

/** Pieces that one statement adds, and that are read at a time. */
const atOnce = 500;

const columns = "id, title, source, author, by_name, at, pieces, characters";

/** The knowledge of channels on a connection whose schema has its tables. Any number of processes use it at once. */
export function createPostgresKnowledge(connection: PostgresConnection): Knowledge {
  return {
    add: (namespace, document, pieces) =>
      connection.transaction((session) => addDocument(session, namespace, document, pieces)),
    async list(namespace) {
      const sql = `SELECT ${columns} FROM documents WHERE namespace = $1 ORDER BY at DESC, id DESC`;
      return (await connection.all(sql, namespace)).map(documentOf);
    },
    remove: (namespace, ids) =>
      connection.transaction(async (session) => {
        const rows = await session.all(
          `DELETE FROM documents WHERE namespace = $1 AND id = ANY ($2) RETURNING ${columns}`,
          ...[namespace, ids],
        );
        await removePieces(session, rows);
        const gone = new Map(rows.map(documentOf).map((document) => [document.id, document]));
        return ids.flatMap((id) => gone.get(id) ?? []);
      }),
    clearAuthor: (author, isThere, options) => clearAuthor(connection, author, isThere, options),
    scrub: () => connection.rewrite("documents", "pieces"),
    read: (namespace, id) => readPieces(connection, namespace, id),
    async namespaces() {
      const rows = await connection.all("SELECT DISTINCT namespace FROM documents ORDER BY namespace");
      return rows.map(({ namespace }) => String(namespace));
    },
    async search(namespace, { words, vector, model, most }) {
      const near =
        vector === undefined || model === undefined
          ? []
          : await nearest(vector, (before, atMost) =>
              connection.all(vectors, namespace, model, before, atMost),
            );
      const found = joined(await byWords(connection, namespace, words), near).slice(0, most);
      return piecesOf(connection, found);
    },
  };
}

const vectors = `
  SELECT ordinal, vector FROM pieces WHERE namespace = $1 AND model = $2 AND vector IS NOT NULL AND ordinal < $3
  ORDER BY ordinal DESC LIMIT $4`;

async function addDocument(
  session: PostgresSession,
  namespace: string,
  { title, source, author, by, at }: Parameters<Knowledge["add"]>[1],
  pieces: readonly KnownPiece[],
): Promise<KnownDocument> {
  const [storedTitle, storedSource, storedBy] = [title, source, by].map(storableText);
  // Others that add a document of this source wait: it is there once.
  const lock = "SELECT pg_advisory_xact_lock(hashtextextended('document ' || $1, 0))";
  await session.run(lock, storableText(`${namespace} ${source}`));
  const replaced = await session.all(
    "DELETE FROM documents WHERE namespace = $1 AND source = $2 RETURNING id",
    ...[namespace, storedSource ?? ""],
  );
  await removePieces(session, replaced);
  const row = await session.get(
    `INSERT INTO documents (namespace, title, source, author, by_name, at, pieces, characters)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${columns}`,
    ...[namespace, storedTitle ?? "", storedSource ?? "", author, storedBy ?? "", at],
    ...[pieces.length, pieces.reduce((sum, { text }) => sum + text.length, 0)],
  );
  const document = documentOf(row ?? {});
  for (let from = 0; from < pieces.length; from += atOnce)
    await addPieces(session, namespace, document, pieces.slice(from, from + atOnce));
  return document;
}

async function addPieces(
  session: PostgresSession,
  namespace: string,
  { id, title }: KnownDocument,
  pieces: readonly KnownPiece[],
): Promise<void> {
  const withVector = pieces.map(({ vector, model }) =>
    vector === undefined || model === undefined ? undefined : { model, bytes: bytesOf(vector) },
  );
  await session.run(
    `INSERT INTO pieces (namespace, document, place, text, words, model, vector)
     SELECT $1, $2, place, text, words::tsvector, model, vector
     FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[]) WITH ORDINALITY
       AS piece (place, text, words, model, vector, number)
     ORDER BY number`,
    ...[namespace, id],
    ...[pieces.map(({ place }) => storableText(place)), pieces.map(({ text }) => storableText(text))],
    pieces.map(({ text, place }) => pieceWords(namespace, text, `${title} ${place}`)),
    withVector.map((each) => each?.model ?? null),
    withVector.map((each) => each?.bytes ?? null),
  );
}

async function removePieces(session: PostgresSession, documents: readonly PostgresRow[]): Promise<void> {
  const ids = documents.map(({ id }) => Number(id));
  if (ids.length > 0) await session.run("DELETE FROM pieces WHERE document = ANY ($1)", ids);
}

async function clearAuthor(
  connection: PostgresConnection,
  author: string,
  isThere: (namespace: string) => boolean,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const theirs = await connection.all("SELECT id, namespace FROM documents WHERE author = $1", author);
  const ids = theirs.filter(({ namespace }) => isThere(String(namespace))).map(({ id }) => Number(id));
  if (dryRun) return ids.length;
  return connection.transaction(async (session) => {
    const gone = await session.all(
      "DELETE FROM documents WHERE id = ANY ($1) AND author = $2 RETURNING id",
      ...[ids, author],
    );
    await removePieces(session, gone);
    return gone.length;
  });
}

async function* readPieces(
  connection: PostgresConnection,
  namespace: string,
  document: number,
): AsyncGenerator<Pick<KnownPiece, "text" | "place">> {
  for (let after = 0; ; ) {
    const rows = await connection.all(
      `SELECT ordinal, place, text FROM pieces
       WHERE namespace = $1 AND document = $2 AND ordinal > $3 ORDER BY ordinal LIMIT ${atOnce}`,
      ...[namespace, document, after],
    );
    for (const { place, text } of rows) yield { text: String(text), place: String(place) };
    if (rows.length < atOnce) return;
    after = Number(rows.at(-1)?.ordinal);
  }
}

/** The words of a piece with their positions: those of its text have the weight A, those of title and place B. */
export function pieceWords(namespace: string, text: string, about: string): string {
  const places = new Map<string, string[]>();
  let position = 0;
  for (const [weight, part] of [
    ["A", text],
    ["B", about],
  ] as const)
    for (const word of foldedWords(spaced(part)).map(stem)) {
      position += 1;
      madeOnce(places, word, () => []).push(`${position}${weight}`);
    }
  const words = [...places].map(([word, all]) => `${quotedWord(word)}:${all.join(",")}`);
  return [quotedWord(channelWord(namespace)), ...words].join(" ");
}

/** The stem of an English word, by Porter's algorithm, as FTS5's `porter`. */
function stem(word: string): string {
  return /^[a-z]+$/.test(word) ? stemmer(word) : word;
}

/**
 * Ordinals of pieces with any of the words, the best first. A word counts by how often a piece has it, relative to its length (`ts_rank`),
 * and by how few pieces of the channel have it, as in BM25; words of title and place count half.
 */
async function byWords(connection: PostgresConnection, namespace: string, words: string): Promise<number[]> {
  const terms = queryWords(words).flatMap(({ word, isPrefix }) =>
    foldedWords(word).map((each) => `${quotedWord(stem(each))}${isPrefix ? ":*" : ""}`),
  );
  if (terms.length === 0) return [];
  // Several words may have one stem.
  const distinct = [...new Set(terms)];
  const match = `${quotedWord(channelWord(namespace))} & (${distinct.join(" | ")})`;
  const rows = await connection.all(
    `WITH ranks AS MATERIALIZED (
       SELECT ordinal, term, ts_rank('{0, 0, 0.5, 1}', words, term::tsquery, 1) AS rank
       FROM pieces, unnest($3::text[]) AS term WHERE words @@ $1::tsquery AND namespace = $2
     ), hits AS (
       SELECT ordinal, term, rank FROM ranks WHERE rank > 0
     ), terms AS (
       SELECT term, ln(1 + (total - count(*) + 0.5) / (count(*) + 0.5)) AS rarity
       FROM hits, (SELECT count(*) AS total FROM pieces WHERE namespace = $2) AS pieces
       GROUP BY term, total
     )
     SELECT ordinal, sum(rank * rarity)::double precision AS score FROM hits JOIN terms USING (term)
     GROUP BY ordinal ORDER BY score DESC, ordinal LIMIT ${candidates}`,
    ...[match, namespace, distinct],
  );
  return withoutCommon(
    rows.map(({ ordinal, score }) => ({ ordinal: Number(ordinal), score: Number(score) })),
  );
}

/** Pieces in the given order, without those that were deleted meanwhile. */
async function piecesOf(
  connection: PostgresConnection,
  found: readonly { ordinal: number; score: number }[],
): Promise<FoundPiece[]> {
  const rows = await connection.all(
    `SELECT p.ordinal, p.place, p.text, d.id, d.title, d.source, d.author, d.by_name, d.at, d.pieces, d.characters
     FROM pieces p JOIN documents d ON d.id = p.document WHERE p.ordinal = ANY ($1)`,
    found.map(({ ordinal }) => ordinal),
  );
  const byOrdinal = new Map(rows.map((row) => [Number(row.ordinal), row]));
  return found.flatMap(({ ordinal, score }) => {
    const row = byOrdinal.get(ordinal);
    if (row === undefined) return [];
    return [{ document: documentOf(row), place: String(row.place), text: String(row.text), score }];
  });
}
