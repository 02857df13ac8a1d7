import type { Fact } from "./fact.ts";

/** Facts with less than this share of the best score only share a common word with the query. */
const weakest = 0.3;

/**
 * The facts that fit a query, best first. Forms of an English word, accents, beginnings of words and small typing errors do
 * not matter. `every`: only facts that have every word of the query. Undefined when the query has no word to search for.
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
  return found.filter(({ score }) => score >= best * weakest).flatMap(({ id }) => byId.get(id) ?? []);
}

/** Words with which people ask for a fact rather than name it. */
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
