import type { FoundPiece, Knowledge, KnownDocument, KnownPiece } from "../core/ports/services.ts";
import { documentOf, joined, nearest, type ScoredPiece, withoutCommon } from "./knowledge-search.ts";
import { inPages, type Row, type Tables, type Work } from "./tables.ts";
import { gap } from "./words.ts";

/** The tables `documents` and `pieces`, and what differs between databases: the index of words. */
export interface KnowledgeTables extends Tables {
  /** SQL for the table of pieces as `p`, and for the text of one. */
  readonly pieces: string;
  readonly text: string;
  /** Waits for others that add a document of this source: it is there once. */
  lock(namespace: string, source: string): Work<void>;
  addPieces(namespace: string, document: KnownDocument, pieces: readonly KnownPiece[]): Work<void>;
  /** The pieces of the document are no longer found. */
  dropPieces(document: number): Work<void>;
  /** Deletes dropped pieces; with `forgets` also from the log of the database. */
  purge(options?: { forgets?: true }): Promise<void>;
  /** Pieces with any of the words, the best first: rare words count more than common ones, those of title and place less. */
  byWords(namespace: string, words: string): readonly ScoredPiece[] | Promise<readonly ScoredPiece[]>;
  scrub(): Promise<void>;
}

/** Pieces of a document that are read at a time. */
const readAtOnce = 100;

const columns = "id, title, source, author, by_name, at, pieces, characters";

const vectors = `
  SELECT ordinal, vector FROM pieces WHERE namespace = $1 AND model = $2 AND vector IS NOT NULL AND ordinal < $3
  ORDER BY ordinal DESC LIMIT $4`;

/** What channels know, in these tables. */
export function createKnowledgeStore(tables: KnowledgeTables): Knowledge {
  return {
    add: (namespace, document, pieces) => addDocument(tables, namespace, document, pieces),
    async list(namespace) {
      const list = `SELECT ${columns} FROM documents WHERE namespace = $1 ORDER BY at DESC, id DESC`;
      return (await tables.all(list, namespace)).map(documentOf);
    },
    async remove(namespace, ids) {
      const gone = await dropAll(tables, ids, "namespace = $2", namespace);
      if (gone.length > 0) await tables.purge();
      return gone;
    },
    async clearAuthor(author, isThere, { dryRun = false } = {}) {
      const theirs = await tables.all("SELECT id, namespace FROM documents WHERE author = $1", author);
      const ids = theirs.filter(({ namespace }) => isThere(String(namespace))).map(({ id }) => Number(id));
      if (dryRun || ids.length === 0) return ids.length;
      const gone = await dropAll(tables, ids, "author = $2", author);
      await tables.purge({ forgets: true });
      return gone.length;
    },
    scrub: () => tables.scrub(),
    read: (namespace, id) => readPieces(tables, namespace, id),
    async namespaces() {
      const rows = await tables.all("SELECT DISTINCT namespace FROM documents ORDER BY namespace");
      return rows.map(({ namespace }) => String(namespace));
    },
    async search(namespace, { words, vector, model, most }) {
      const near =
        vector === undefined || model === undefined
          ? []
          : await nearest(vector, (before, atMost) => tables.all(vectors, namespace, model, before, atMost));
      const named = withoutCommon(await tables.byWords(namespace, words));
      return piecesOf(tables, joined(named, near).slice(0, most));
    },
  };
}

async function addDocument(
  tables: KnowledgeTables,
  namespace: string,
  { title, source, author, by, at }: Parameters<Knowledge["add"]>[1],
  pieces: readonly KnownPiece[],
): Promise<KnownDocument> {
  const characters = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const document = await tables.write(function* () {
    yield* tables.lock(namespace, source);
    yield* drop(tables, "namespace = $1 AND source = $2", namespace, source);
    const [row = {}] = yield [
      `INSERT INTO documents (namespace, title, source, author, by_name, at, pieces, characters)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${columns}`,
      ...[namespace, title, source, author, by, at, pieces.length, characters],
    ];
    const added = documentOf(row);
    yield* tables.addPieces(namespace, added, pieces);
    return added;
  });
  await tables.purge();
  return document;
}

function dropAll(
  tables: KnowledgeTables,
  ids: readonly number[],
  where: string,
  value: string,
): Promise<KnownDocument[]> {
  return tables.write(function* () {
    const gone: KnownDocument[] = [];
    for (const id of ids) gone.push(...(yield* drop(tables, `id = $1 AND ${where}`, id, value)));
    return gone;
  });
}

/** Removes documents, and returns them. */
function* drop(
  tables: KnowledgeTables,
  where: string,
  ...values: (string | number)[]
): Work<KnownDocument[]> {
  const rows = yield [`DELETE FROM documents WHERE ${where} RETURNING ${columns}`, ...values];
  const gone = rows.map(documentOf);
  for (const { id } of gone) yield* tables.dropPieces(id);
  return gone;
}

async function* readPieces(
  tables: KnowledgeTables,
  namespace: string,
  document: number,
): AsyncGenerator<Pick<KnownPiece, "text" | "place">> {
  const page = `
    SELECT p.ordinal, p.place, ${tables.text} AS text FROM ${tables.pieces}
    WHERE p.namespace = $1 AND p.document = $2 AND p.ordinal > $3 ORDER BY p.ordinal LIMIT ${readAtOnce}`;
  const pieces = inPages<Row>(readAtOnce, (last) =>
    tables.all(page, namespace, document, Number(last?.ordinal ?? 0)),
  );
  for await (const { place, text } of pieces) yield { text: shown(text), place: String(place) };
}

/** Pieces in the given order, without those that were deleted meanwhile. */
async function piecesOf(tables: KnowledgeTables, found: readonly ScoredPiece[]): Promise<FoundPiece[]> {
  if (found.length === 0) return [];
  const document = columns.replace(/\w+/g, "d.$&");
  const rows = await tables.all(
    `SELECT p.ordinal, p.place, ${tables.text} AS text, ${document}
     FROM ${tables.pieces} JOIN documents d ON d.id = p.document
     WHERE p.ordinal IN (${found.map((_, at) => `$${at + 1}`).join(", ")})`,
    ...found.map(({ ordinal }) => ordinal),
  );
  const byOrdinal = new Map(rows.map((row) => [Number(row.ordinal), row]));
  return found.flatMap(({ ordinal, score }) => {
    const row = byOrdinal.get(ordinal);
    if (row === undefined) return [];
    return [{ document: documentOf(row), place: String(row.place), text: shown(row.text), score }];
  });
}

/** The text as people wrote it. */
function shown(stored: unknown): string {
  return String(stored).replaceAll(gap, "");
}
