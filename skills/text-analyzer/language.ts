import type { Word } from "./words.ts";

/** The supported languages, by the guesser's codes (ISO 639-3). */
const guessable =
  "eng deu fra spa ita por nld swe dan nob fin pol ces slk hun ron tur ell rus ukr bul arb heb pes hin urd ben tha vie ind jpn kor cmn";
/** Their BCP 47 codes. Bokmål is called Norwegian. */
const tags: ReadonlyMap<string, string | undefined> = new Map(
  guessable.split(" ").map((code) => [code, code === "nob" ? "no" : Intl.getCanonicalLocales(code)[0]]),
);

/** Languages whose name in the stop word package differs from the guesser's code. */
const listNames: Readonly<Record<string, string>> = { ar: "ara", fa: "fas", zh: "zho" };

/** Characters that are passed to the guesser. */
const sample = 5_000;
/** In shorter texts, characters, function words decide: trigrams are unreliable there. */
const shortText = 200;

/** The language of a text as a BCP 47 code; `en` if it cannot be determined. */
export async function detectLanguage(text: string, words: readonly Word[]): Promise<string> {
  const { franc } = await import("franc-min");
  const guessed = tags.get(franc(text.slice(0, sample), { minLength: 10 }));
  if (text.length >= shortText && guessed !== undefined) return guessed;
  const voted = await vote(words.filter(({ lower }) => lower.length > 1).slice(0, 200));
  return voted ?? (isLatin(text) ? "en" : (guessed ?? "en"));
}

/** The stop words of a language; empty for a language without a list. */
export async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  const { default: lists } = await import("stopword");
  const code = listNames[language] ?? [...tags].find(([, tag]) => tag === language)?.[0] ?? "";
  const list = lists[code];
  const words = Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
  return new Set(words.map((word) => word.toLowerCase()));
}

/** The language whose function words make up most of the text, if they are a fifth of it; English wins a tie. */
async function vote(words: readonly Word[]): Promise<string | undefined> {
  let best: string | undefined;
  // A single match may be a coincidence: "one" is also a Polish word.
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
