import { stemmer } from "stemmer";
import { madeOnce } from "../../base/made-once.ts";
import type { Knowledge } from "../../core/ports/services.ts";
import {
  bytesOf,
  candidates,
  createKnowledgeStore,
  type KnowledgeTables,
  queryWords,
  type ScoredPiece,
} from "../knowledge-store.ts";
import { channelWord, foldedWords, quotedWord, spaced } from "../words.ts";
import { type PostgresConnection, storableText } from "./postgres-connection.ts";
import { postgresTables } from "./postgres-tables.ts";

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

/** Pieces that one statement adds. */
const addedAtOnce = 500;

/** The knowledge of channels on a connection whose schema has its tables. Any number of processes use it at once. */
export function createPostgresKnowledge(connection: PostgresConnection): Knowledge {
  return createKnowledgeStore({
    ...postgresTables(connection),
    pieces: "pieces p",
    text: "p.text",
    *lock(namespace, source) {
      yield [
        "SELECT pg_advisory_xact_lock(hashtextextended('document ' || $1, 0))",
        `${namespace} ${source}`,
      ];
    },
    addPieces,
    *dropPieces(document) {
      yield ["DELETE FROM pieces WHERE document = $1", document];
    },
    async purge() {},
    byWords: (namespace, words) => byWords(connection, namespace, words),
    scrub: () => connection.rewrite("documents", "pieces"),
  });
}

function* addPieces(
  ...[namespace, { id, title }, all]: Parameters<KnowledgeTables["addPieces"]>
): ReturnType<KnowledgeTables["addPieces"]> {
  for (let from = 0; from < all.length; from += addedAtOnce) {
    const pieces = all.slice(from, from + addedAtOnce);
    const withVector = pieces.map(({ vector, model }) =>
      vector === undefined || model === undefined ? undefined : { model, bytes: bytesOf(vector) },
    );
    yield [
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
    ];
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
 * A word counts by how often a piece has it, relative to its length (`ts_rank`), and by how few pieces of the channel have it, as in BM25;
 * words of title and place count half.
 */
async function byWords(
  connection: PostgresConnection,
  namespace: string,
  words: string,
): Promise<ScoredPiece[]> {
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
  return rows.map(({ ordinal, score }) => ({ ordinal: Number(ordinal), score: Number(score) }));
}
