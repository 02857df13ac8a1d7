import { round, splitSentences, splitWords } from "./words.ts";

export interface Keyword {
  keyword: string;
  count: number;
  /** Relative to the strongest keyword, 0 to 1. */
  weight: number;
}

const maxKeywords = 10;

/**
 * The most frequent words of a text without the stop words of its language, and pairs of such words that occur at least twice together. The
 * forms of an English word count together.
 */
export async function findKeywords(text: string, language: string): Promise<Keyword[]> {
  const [{ stemmer }, stopWords] = await Promise.all([import("stemmer"), stopWordsOf(language)]);
  const stem = (word: string) => (language === "en" && /^[a-z]+$/.test(word) ? stemmer(word) : word);
  const terms = new Map<string, { keyword: string; count: number }>();
  const note = (words: readonly string[]) => {
    const key = words.map((word) => stem(word.toLowerCase())).join(" ");
    const { keyword = words.join(" "), count = 0 } = terms.get(key) ?? {};
    terms.set(key, { keyword, count: count + 1 });
  };
  for (const sentence of splitSentences(text, language)) {
    let before: string | undefined;
    for (const { text: word, lower, between } of splitWords(sentence, language)) {
      const isEmpty =
        stopWords.has(lower) || !/\p{L}/u.test(word) || /^\p{Script=Hiragana}{1,2}$/u.test(word);
      if (!isEmpty) note([word]);
      if (!isEmpty && before !== undefined && between === " ") note([before, word]);
      before = isEmpty ? undefined : word;
    }
  }
  return strongest(terms);
}

function strongest(terms: ReadonlyMap<string, { keyword: string; count: number }>): Keyword[] {
  const isPair = (key: string) => key.includes(" ");
  const pairs = [...terms].filter(([key, { count }]) => isPair(key) && count > 1);
  /** Whether a word occurs in one pair only. */
  const isCovered = (key: string, count: number) =>
    pairs.some(([pair, term]) => pair.split(" ").includes(key) && term.count === count);
  const words = [...terms].filter(([key, { count }]) => !isPair(key) && !isCovered(key, count));
  const kept = [...pairs, ...words].map(([, term]) => term).sort((one, other) => other.count - one.count);
  const most = kept[0]?.count ?? 1;
  return kept.slice(0, maxKeywords).map((term) => ({ ...term, weight: round(term.count / most) }));
}

/** The stop words of a language, published by the package `stopword` under ISO 639-3 codes; empty for a language without a list. */
async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  const { default: lists } = await import("stopword");
  const isOf = (name: string) => /^[a-z]{3}$/.test(name) && Intl.getCanonicalLocales(name)[0] === language;
  const list = lists[Object.keys(lists).find(isOf) ?? ""];
  return new Set(Array.isArray(list) ? list.map((word) => String(word).toLowerCase()) : []);
}

/** The result in one sentence. */
export function describeKeywords(keywords: readonly Keyword[]): string {
  if (keywords.length === 0) return "No keywords: the text contains only very common words.";
  const named = keywords
    .slice(0, 5)
    .map(({ keyword, count }) => (count > 1 ? `${keyword} (${count}×)` : keyword));
  return `Main topics: ${named.join(", ")}.`;
}
