import { round, splitSentences, splitWords } from "./words.ts";

export interface Keyword {
  keyword: string;
  count: number;
  /** Relative to the strongest keyword, 0 to 1. */
  weight: number;
}

interface Term {
  /** The spellings and their counts. */
  forms: Map<string, number>;
  count: number;
  sentences: Set<number>;
  first: number;
  words: string[];
}

const maxKeywords = 10;
const maxPhrase = 3;

/**
 * The most important words and phrases of a text. Forms of a word count together (`deploy`, `deployed`); a phrase replaces its
 * words if they rarely occur without it.
 */
export async function findKeywords(
  text: string,
  language: string,
  stopWords: ReadonlySet<string>,
): Promise<Keyword[]> {
  const { stemmer } = await import("stemmer");
  const stem = (word: string) => (language === "en" ? stemmer(word) : word);
  const terms = new Map<string, Term>();
  let position = 0;
  for (const [index, sentence] of splitSentences(text, language).entries()) {
    let run: string[] = [];
    for (const word of splitWords(sentence, language)) {
      position += 1;
      if (/[^\s'’-]/.test(word.before)) run = [];
      if (isEmpty(word.lower, stopWords)) {
        run = [];
        continue;
      }
      run = [...run, word.text].slice(-maxPhrase);
      for (let length = 1; length <= run.length; length += 1)
        note(terms, run.slice(-length), stem, index, position);
    }
  }
  return strongest(terms, position);
}

function isEmpty(word: string, stopWords: ReadonlySet<string>): boolean {
  const short = /^\p{Script=Latin}{1,2}$/u.test(word) || /^\p{Script=Hiragana}{1,2}$/u.test(word);
  return short || !/\p{L}/u.test(word) || stopWords.has(word) || stopWords.has(word.replace(/'\p{L}+$/u, ""));
}

function note(
  terms: Map<string, Term>,
  words: string[],
  stem: (word: string) => string,
  sentence: number,
  at: number,
): void {
  const stems = words.map((word) => stem(word.toLowerCase()));
  const key = stems.join(" ");
  const term = terms.get(key) ?? {
    forms: new Map(),
    count: 0,
    sentences: new Set(),
    first: at,
    words: stems,
  };
  const form = words.join(" ");
  term.forms.set(form, (term.forms.get(form) ?? 0) + 1);
  term.count += 1;
  term.sentences.add(sentence);
  terms.set(key, term);
}

function strongest(terms: ReadonlyMap<string, Term>, length: number): Keyword[] {
  const phrases = [...terms.values()].filter((term) => term.words.length > 1 && term.count > 1);
  const scored = [...terms.values()]
    .filter((term) => (term.words.length === 1 || term.count > 1) && !isCovered(term, phrases))
    .map((term) => ({ term, score: score(term, length) }))
    .sort((a, b) => b.score - a.score || a.term.first - b.term.first)
    .slice(0, maxKeywords);
  const best = scored[0]?.score ?? 1;
  return scored.map(({ term, score: value }) => ({
    keyword: commonForm(term),
    count: term.count,
    weight: round(value / best),
  }));
}

/** Whether a longer phrase occurs nearly as often, which makes the shorter one redundant. */
function isCovered(term: Term, phrases: readonly Term[]): boolean {
  const text = ` ${term.words.join(" ")} `;
  return phrases.some(
    (phrase) =>
      phrase.words.length > term.words.length &&
      ` ${phrase.words.join(" ")} `.includes(text) &&
      phrase.count * 1.5 >= term.count,
  );
}

/** Scores a term higher if it is frequent, in many sentences, early, long, or written as a name. */
function score(term: Term, length: number): number {
  const early = 1 + 0.3 * (1 - term.first / Math.max(1, length));
  const spread = 1 + Math.log2(term.sentences.size);
  const size = Math.min(1.3, 0.7 + term.words.join("").length / 20);
  const named = /^(?:\p{Lu}\S*\p{Lu}|\p{Lu}{2,})/u.test(commonForm(term)) ? 1.3 : 1;
  const phrase = term.words.length > 1 ? 1.5 : 1;
  return term.count * spread * early * size * named * phrase;
}

/** The most frequent spelling; in lower case if that occurs too, because a capital may only mark the beginning of a sentence. */
function commonForm(term: Term): string {
  const forms = [...term.forms].sort((a, b) => b[1] - a[1]);
  const [best] = forms[0] ?? [""];
  const lower = best.toLowerCase();
  return term.forms.has(lower) ? lower : best;
}

/** The result in one sentence. */
export function describeKeywords(keywords: readonly Keyword[]): string {
  if (keywords.length === 0) return "No keywords: the text contains only very common words.";
  const named = keywords
    .slice(0, 5)
    .map(({ keyword, count }) => (count > 1 ? `${keyword} (${count}×)` : keyword));
  return `Main topics: ${named.join(", ")}.`;
}
