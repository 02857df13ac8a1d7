import { setImmediate as nextTick } from "node:timers/promises";
import type { KnownDocument } from "../core/ports/services.ts";
import type { Row } from "./tables.ts";
import { spaced, wordsIn } from "./words.ts";

/** What the stores of knowledge share: how pieces are found and ranked, whatever the database. */

/** A piece with its score: the higher the better. */
export interface ScoredPiece {
  ordinal: number;
  score: number;
}

/**
 * Maximum vectors of a namespace that one search compares, the latest ones: with 512 numbers each about 100 MB, which takes 0.1 to 0.2
 * seconds in SQLite.
 */
const maxCompared = 50_000;
/** Vectors compared before other work gets a turn. */
const comparedAtOnce = 2_000;
/** Pieces that each of the two searches finds before they are joined. */
export const candidates = 50;
/** Maximum words of a query that are searched for. */
const maxWords = 32;
/** Share of the best piece's score below which a piece has only common words of the query. */
const minScoreShare = 0.25;
/** Cosine below which two texts are unrelated, whatever the model. */
const minCosine = 0.2;
/** The constant of reciprocal rank fusion: `1 / (60 + rank)`, Cormack, Clarke and Büttcher 2009. */
const fusion = 60;

/** The words of a query, each once; longer ones match as prefixes. */
export function queryWords(words: string): { word: string; isPrefix: boolean }[] {
  // The index removes accents from letters, but not accents that are characters of their own.
  const found = wordsIn(spaced(words.normalize("NFC")));
  const distinct = [...new Set(found.map((word) => word.toLowerCase()))].slice(0, maxWords);
  return distinct.map((word) => ({ word, isPrefix: isLong(word) }));
}

/** In syllabic scripts two characters can be a word, and what follows is often grammar. */
function isLong(word: string): boolean {
  return word.length > (/^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word) ? 1 : 2);
}

/** Pieces found by words, the best first, without those that have only common words of the query. */
export function withoutCommon(pieces: readonly ScoredPiece[]): number[] {
  const best = pieces[0]?.score ?? 0;
  return pieces.filter(({ score }) => score >= best * minScoreShare).map(({ ordinal }) => ordinal);
}

/**
 * The pieces whose vectors are nearest, the best first. `read` returns the latest vectors before an ordinal, in descending order: rows with
 * `ordinal` and `vector`.
 */
export async function nearest(
  vector: Float32Array,
  read: (before: number, most: number) => readonly Row[] | Promise<readonly Row[]>,
): Promise<number[]> {
  const found: ScoredPiece[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (let compared = 0; compared < maxCompared; compared += comparedAtOnce) {
    const rows = await read(before, comparedAtOnce);
    for (const { ordinal, vector: bytes } of rows) {
      const score = cosine(vector, vectorOf(bytes as Uint8Array));
      if (score >= minCosine) found.push({ ordinal: Number(ordinal), score });
    }
    found.sort((a, b) => b.score - a.score || a.ordinal - b.ordinal).splice(candidates);
    if (rows.length < comparedAtOnce) break;
    before = Number(rows.at(-1)?.ordinal);
    await nextTick();
  }
  return found.map(({ ordinal }) => ordinal);
}

/** For vectors of length 1. Vectors of another size come from another model of the same name. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Joins both lists by reciprocal rank fusion. */
export function joined(...lists: readonly number[][]): ScoredPiece[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    for (const [rank, ordinal] of list.entries())
      scores.set(ordinal, (scores.get(ordinal) ?? 0) + 1 / (fusion + rank + 1));
  const all = [...scores].map(([ordinal, score]) => ({ ordinal, score }));
  return all.sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
}

/** A vector as it is stored. */
export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function vectorOf(bytes: Uint8Array): Float32Array {
  // A view needs an address divisible by four. `slice` of a Buffer would not copy.
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength >> 2);
}

/** A row of the table `documents`, which has the same columns in every database. */
export function documentOf(row: Row): KnownDocument {
  return {
    id: Number(row.id),
    title: String(row.title),
    source: String(row.source),
    author: String(row.author),
    by: String(row.by_name),
    at: Number(row.at),
    pieces: Number(row.pieces),
    characters: Number(row.characters),
  };
}
