import type { Word } from "./words.ts";

/** Languages people write in most, by the codes of the language guesser (ISO 639-3) and of `Intl` (BCP 47). */
const codes: Readonly<Record<string, string>> = {
  eng: "en",
  deu: "de",
  fra: "fr",
  spa: "es",
  ita: "it",
  por: "pt",
  nld: "nl",
  swe: "sv",
  dan: "da",
  nob: "no",
  fin: "fi",
  pol: "pl",
  ces: "cs",
  slk: "sk",
  hun: "hu",
  ron: "ro",
  tur: "tr",
  ell: "el",
  rus: "ru",
  ukr: "uk",
  bul: "bg",
  arb: "ar",
  heb: "he",
  pes: "fa",
  hin: "hi",
  urd: "ur",
  ben: "bn",
  tha: "th",
  vie: "vi",
  ind: "id",
  jpn: "ja",
  kor: "ko",
  cmn: "zh",
};

/** Where the names of the stop word package differ from the guesser's. */
const listNames: Readonly<Record<string, string>> = { ar: "ara", fa: "fas", zh: "zho" };

/** Characters the guesser looks at. */
const sample = 5_000;
/** Votes of function words decide in texts shorter than this, characters: trigrams are unsure there. */
const shortText = 200;

/** The language of a text as a BCP 47 code. `en` when nothing tells. */
export async function detectLanguage(text: string, words: readonly Word[]): Promise<string> {
  const { franc } = await import("franc-min");
  const guessed = codes[franc(text.slice(0, sample), { minLength: 10 })];
  if (text.length >= shortText && guessed !== undefined) return guessed;
  const voted = await vote(words.filter(({ lower }) => lower.length > 1).slice(0, 200));
  return voted ?? (isLatin(text) ? "en" : (guessed ?? "en"));
}

/** The common words of a language that say nothing about a text; empty for a language without a list. */
export async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  const { default: lists } = await import("stopword");
  const code = listNames[language] ?? Object.entries(codes).find(([, tag]) => tag === language)?.[0] ?? "";
  const list = lists[code];
  const words = Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
  return new Set(words.map((word) => word.toLowerCase()));
}

/** The language whose function words make up most of the text, if they are a fifth of it; English wins a tie. */
async function vote(words: readonly Word[]): Promise<string | undefined> {
  let best: string | undefined;
  // One word of several may be a common word elsewhere: "one" is Polish.
  let most = Math.max(words.length > 2 ? 2 : 1, words.length / 5);
  for (const language of ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl"]) {
    const stopWords = await stopWordsOf(language);
    const hits = words.filter(({ lower }) => stopWords.has(lower)).length;
    if (hits > most || (hits === most && best === undefined)) {
      best = language;
      most = hits;
    }
  }
  return best;
}

function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  return latin * 2 >= letters.length;
}

/** The English name of a language, for people. */
export function languageName(language: string): string {
  return new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;
}
