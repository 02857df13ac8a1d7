import { DateTime } from "luxon";
import { z } from "zod";
import type { KeyValue } from "../../src/core/ports/storage.ts";
import { type Json, objectOf } from "../../src/core/values/json.ts";
import { labelOf } from "../../src/core/values/label.ts";

/** Maximum facts of a namespace, and maximum characters of a fact. */
export const maxFacts = 500;
export const maxFact = 2_000;
/** Limits of pinned facts, which are in every prompt. */
export const maxPinned = 20;
export const maxPinnedCharacters = 6_000;

const factSchema = z.object({
  /** Increases within the namespace and is never reused. */
  id: z.number().int().positive(),
  text: z.string(),
  /** The name of the person who stated the fact. */
  by: z.string(),
  /** That person's user id on the platform. */
  author: z.string(),
  /** ms since the epoch. */
  at: z.number(),
  pinned: z.boolean(),
});
export type Fact = z.infer<typeof factSchema>;

const bookSchema = z.object({ next: z.number().int(), facts: z.array(factSchema) });
/** All facts of a namespace, oldest first: one value, so that every change is atomic. */
export type FactBook = z.infer<typeof bookSchema>;

const booksKey = "facts";
const pinnedKey = "pinned";

/** The facts of this namespace. */
export async function readFacts(store: KeyValue): Promise<Fact[]> {
  return parseBook(await store.get(booksKey)).facts;
}

/** Changes the facts atomically; `change` mutates the draft and may be called more than once. Returns its last result. */
export async function changeFacts<T>(store: KeyValue, change: (draft: FactBook) => T): Promise<T> {
  const results: T[] = [];
  await store.update(booksKey, (value) => {
    const draft = parseBook(value);
    results.splice(0, 1, change(draft));
    return draft;
  });
  const [result] = results;
  return result as T;
}

/** Adds a fact to the list shown in the prompt, or removes it. Each change is atomic and idempotent. */
export async function setPinned(
  store: KeyValue,
  { text, by, author }: Pick<Fact, "text" | "by" | "author">,
  pinned: boolean,
): Promise<void> {
  await store.update<Json[]>(pinnedKey, (value = []) => {
    const others = value.filter((other) => objectOf(other).text !== text);
    return pinned ? [...others, { text, by, author }] : others;
  });
}

function parseBook(value: unknown): FactBook {
  return bookSchema.parse(value ?? { next: 1, facts: [] });
}

/** A key that is equal for texts that state the same fact: ignores case, spaces and the final full stop. */
export function sameness(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/(?<![.!\s])[.!\s]+$/, "")
    .trim();
}

export const shownFactSchema = z.object({
  id: z.number(),
  text: z.string(),
  by: z.string(),
  at: z.string().describe("when it was said"),
  pinned: z.boolean().optional(),
});
export type ShownFact = z.infer<typeof shownFactSchema>;

/** A fact as shown to people and models; `pinned` only if it is pinned. */
export function show({ id, text, by, at, pinned }: Fact, zone: string): ShownFact {
  return { id, text, by: labelOf(by), at: minute(at, zone), pinned: pinned || undefined };
}

/** A time (ms since the epoch) as shown in a zone (IANA name), with its offset: `2026-11-25 05:59 +01:00`. */
export function minute(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat("yyyy-MM-dd HH:mm ZZ");
}

/** Facts below this share of the best score match the query only by a common word, unless no other fact has that word. */
const minShare = 0.3;

/**
 * The facts that match a query, best first. Matches forms of an English word, beginnings of words and small typing errors, and
 * ignores accents. `every`: only facts with every word of the query. Undefined if the query has no word to search for.
 */
export async function findFacts(
  facts: readonly Fact[],
  query: string,
  options: { every: boolean },
): Promise<Fact[] | undefined> {
  const [{ default: MiniSearch }, { stemmer }, { default: lists }] = await Promise.all([
    import("minisearch"),
    import("stemmer"),
    import("stopword"),
  ]);
  const common = new Set(Array.isArray(lists.eng) ? lists.eng : []);
  const tokenize = (text: string) =>
    splitWords(text).filter((word) => !common.has(word) && !asking.has(word));
  const words = tokenize(query);
  if (words.length === 0) return undefined;
  const index = new MiniSearch<Fact>({
    fields: ["text", "by"],
    tokenize,
    processTerm: (word) => (/^[a-z]+$/.test(word) ? stemmer(word) : word),
    searchOptions: {
      boost: { text: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: options.every ? "AND" : "OR",
    },
  });
  index.addAll(facts);
  const found = index.search(query);
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const best = found[0]?.score ?? 0;
  const withTerm = Map.groupBy(
    found.flatMap(({ queryTerms }) => [...new Set(queryTerms)]),
    (term) => term,
  );
  const isOnly = (term: string) => withTerm.get(term)?.length === 1;
  return found
    .filter(({ score, queryTerms }) => score >= best * minShare || queryTerms.some(isOnly))
    .flatMap(({ id }) => byId.get(id) ?? []);
}

/** Words with which people ask for a fact, and which do not describe it. */
const asking = new Set(
  "remember remembered recall know known told tell said forget fact facts note memory everything anything about".split(
    " ",
  ),
);

function splitWords(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(plain);
  return [...segments].filter(({ isWordLike }) => isWordLike === true).map(({ segment }) => segment);
}
