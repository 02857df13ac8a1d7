/** The languages with stop words, by the names of their lists (ISO 639-3). */
const listed =
  "eng deu fra spa ita por nld swe dan nob fin pol ces slk hun ron tur ell rus ukr bul arb heb pes hin urd ben tha vie ind jpn kor cmn";
/** Their BCP 47 codes. Bokmål is called Norwegian. */
const tags: ReadonlyMap<string, string | undefined> = new Map(
  listed.split(" ").map((code) => [code, code === "nob" ? "no" : Intl.getCanonicalLocales(code)[0]]),
);

/** Languages whose name in the stop word package differs from that code. */
const listNames: Readonly<Record<string, string>> = { ar: "ara", fa: "fas", zh: "zho" };

/** Characters that the language is read from. */
const sample = 5_000;

/** The language of a text as a BCP 47 code; `en` if it cannot be determined. */
export async function detectLanguage(text: string): Promise<string> {
  const { detect } = await import("tinyld");
  return detect(text.slice(0, sample)) || "en";
}

/** The stop words of a language; empty for a language without a list. */
export async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  const { default: lists } = await import("stopword");
  const code = listNames[language] ?? [...tags].find(([, tag]) => tag === language)?.[0] ?? "";
  const list = lists[code];
  const words = Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
  return new Set(words.map((word) => word.toLowerCase()));
}

/** The English name of a language, for people. */
export function languageName(language: string): string {
  return new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;
}
