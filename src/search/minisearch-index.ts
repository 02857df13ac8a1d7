import MiniSearch, { type SearchOptions } from "minisearch";
import type { CreateTextIndex, GrowingTextIndex } from "../core/ports/storage.ts";
import { WordSplitter } from "./words.ts";

/** Short words are not completed or corrected: they would fit almost everything. */
const minPrefix = 3;
const minFuzzy = 5;
/** A query may be a whole message. Its beginning is enough, characters and distinct terms. */
const maxQuery = 4_000;
const maxTerms = 32;

const searchOptions: SearchOptions = {
  boost: { name: 3 },
  prefix: (term) => term.length >= minPrefix,
  // Edits allowed as a share of the word's length.
  fuzzy: (term) => (term.length >= minFuzzy ? 0.2 : false),
  maxFuzzy: 2,
  weights: { prefix: 0.4, fuzzy: 0.15 },
};

/** A full-text index (BM25+, by minisearch) that knows ids, camel case, English endings and texts without spaces. */
export const createMiniSearchIndex: CreateTextIndex = (texts) => {
  const index = createGrowingIndex();
  index.add(texts);
  return index;
};

/** The same, empty at first. */
export function createGrowingIndex(): GrowingTextIndex {
  const splitter = new WordSplitter();
  const index = new MiniSearch({
    fields: ["name", "text"],
    tokenize: (text) => splitter.split(text),
    // The splitter's terms are final.
    processTerm: (term) => term,
    searchOptions,
  });
  return {
    add: (texts) => index.addAll(texts),
    search(query) {
      const terms = new Set(new WordSplitter().split(query.slice(0, maxQuery)));
      const options = { tokenize: () => [...terms].slice(0, maxTerms) };
      return index.search(query, options).map(({ id, score }) => ({ id: String(id), score }));
    },
  };
}
