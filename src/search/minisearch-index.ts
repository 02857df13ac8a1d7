import MiniSearch, { type SearchOptions } from "minisearch";
import { stemmer } from "stemmer";
import type { CreateTextIndex } from "../core/ports/storage.ts";

/** Minimum length of words that are completed and corrected: shorter words would match almost everything. */
const minPrefix = 3;
const minFuzzy = 5;
/** Maximum characters and distinct terms of a query, which may be a whole message. */
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

/** A full-text index (BM25+, by minisearch) that handles ids, camel case, English endings and texts without spaces. */
export const createMiniSearchIndex: CreateTextIndex = () => {
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
};

/** Common English words that say nothing about a text. */
const stopWords = new Set(
  `a about an and are as at be been but by can could do does for from had has have how i if in into is it its me my no
  not of on or our please should so some than that the their them then there these they this to us was we were what when
  where which who why will with would you your`.split(/\s+/),
);

/** Letters and digits, with the marks that join the words of an id. */
const compound = /[\p{L}\p{N}\p{M}]+(?:[-_#'’][\p{L}\p{N}\p{M}]+)*/gu;
/** `parseHTMLPage2` → parse, HTML, Page2. */
const camelPart = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{N}\p{M}]+|\p{Lu}+\p{N}*|[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const maxWord = 64;
const maxParts = 4;

/** Splits texts into search terms. It caches the terms of words, so each index has its own. */
class WordSplitter {
  readonly #terms = new Map<string, readonly string[]>();
  #segmenter: Intl.Segmenter | undefined;

  /** The terms of a text as often as they occur, without stop words. */
  split(text: string): string[] {
    const terms: string[] = [];
    for (const word of text.match(compound) ?? []) {
      let known = this.#terms.get(word);
      if (known === undefined) {
        known = this.#termsOf(word);
        this.#terms.set(word, known);
      }
      for (const term of known) terms.push(term);
    }
    return terms;
  }

  #termsOf(word: string): string[] {
    if (unspaced.test(word)) return this.#segment(word);
    const pieces = word.replace(/['’](?:s|re|ve|ll|d|t|m)?$/iu, "").split(/[-_#'’]/u);
    const parts = pieces.flatMap(splitCamelCase);
    // `web-search`, `webSearch` and `GitHub` can also be found as one word.
    const joined = parts.length > 1 && parts.length <= maxParts ? [parts.join("")] : [];
    // Checked before endings are removed: `note` would become `not`.
    const telling = [...parts, ...joined].filter((part) => !stopWords.has(part.toLowerCase()));
    return [...new Set(telling.map((part) => normalise(part)))].filter((term) => term !== "");
  }

  #segment(text: string): string[] {
    this.#segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
    const segments = [...this.#segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true);
    return segments.map(({ segment }) => normalise(segment));
  }
}

function splitCamelCase(word: string): string[] {
  const isPluralOfCapitals = /^\p{Lu}+s$/u.test(word);
  return isPluralOfCapitals ? [word] : (word.match(camelPart) ?? []);
}

/** Lower case without accents and English endings (Porter's algorithm): `Files` → file, `searching` → search. */
function normalise(word: string): string {
  const plain = word.slice(0, maxWord).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return /^[a-z]+$/.test(plain) ? stemmer(plain) : plain.normalize("NFC");
}
