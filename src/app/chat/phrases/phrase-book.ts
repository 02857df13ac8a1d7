/*
 * What approvals say, in the language of the person who asked. The English text is the key; `{name}` stands for whatever is there, which is
 * looked up too. A text that a language does not have stays English, and so does everything that people or tools wrote: nothing here is
 * translated by a model, which a message could talk into another meaning.
 */

/** Returns a text of the bot in another language. */
export type Phrases = (text: string) => string;

const english: Phrases = (text) => text;

/** The languages there are; each has a file of phrases. */
const languages = {
  de: () => import("./de.json", { with: { type: "json" } }),
  fr: () => import("./fr.json", { with: { type: "json" } }),
  es: () => import("./es.json", { with: { type: "json" } }),
} as const;
type Language = keyof typeof languages;

const made = new Map<Language, Promise<Phrases>>();

/** The phrases for the language in which a person wrote a message. */
export async function phrasesFor(message: string): Promise<Phrases> {
  const language = await languageOf(message);
  if (language === undefined) return english;
  const known = made.get(language) ?? languages[language]().then((file) => createPhrases(file.default));
  made.set(language, known);
  return known;
}

/** Characters of a message that its language is read from. */
const maxRead = 500;

/** Fewer words may be a name, or anything. */
const minWords = 3;

/** How much more another language has to fit than English: single English words also fit others. */
const margin = 2;

/** The language of a message, if there are phrases for it and it is hardly English. */
export async function languageOf(message: string): Promise<Language | undefined> {
  // Addresses, mentions, code and numbers have no language.
  const words = message
    .slice(0, maxRead)
    .replace(/`[^`]{1,500}`/g, " ")
    .split(/\s+/)
    .filter((word) => !/^(?:https?:|[@#/<])|\d/.test(word))
    .join(" ");
  if ((words.match(/\p{L}{2,}/gu) ?? []).length < minWords) return undefined;
  const { detectAll } = await import("tinyld/light");
  const found = detectAll(words);
  const fits = (language: string) => found.find(({ lang }) => lang === language)?.accuracy ?? 0;
  const [best] = found;
  if (best === undefined || !(best.lang in languages) || best.accuracy < margin * fits("en"))
    return undefined;
  return best.lang as Language;
}

/** A phrase cut at its places: the texts around them, and which place each is, in the order of the other language. */
interface Template {
  around: readonly string[];
  names: readonly string[];
  other: string;
}

/** Phrases from a catalogue of English texts. Takes time proportional to the text and the catalogue. */
export function createPhrases(catalogue: Readonly<Record<string, string>>): Phrases {
  const whole = new Map(Object.entries(catalogue));
  const templates = Object.entries(catalogue)
    .map(([text, other]): Template => {
      const around = text.split(/\{\w+\}/);
      return { around, names: [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name), other };
    })
    .filter(({ names }) => names.length > 0)
    .toSorted((a, b) => b.around.join("").length - a.around.join("").length);
  const say: Phrases = (text) => {
    const known = whole.get(text);
    if (known !== undefined) return known;
    for (const { around, names, other } of templates) {
      const found = placesIn(text, around);
      if (found === undefined) continue;
      const values = new Map(names.map((name, at) => [name, say(found[at] ?? "")]));
      return other.replace(/\{(\w+)\}/g, (place, name) => values.get(name) ?? place);
    }
    const sentences = text.split(/(?<=[.!?;]) /);
    return sentences.length === 1 ? text : sentences.map(say).join(" ");
  };
  return say;
}

/** What stands at the places of a template; undefined unless the text is of its form. */
function placesIn(text: string, around: readonly string[]): string[] | undefined {
  const [first = "", ...rest] = around;
  if (!text.startsWith(first)) return undefined;
  const found: string[] = [];
  let from = first.length;
  for (const [at, part] of rest.entries()) {
    const isLast = at === rest.length - 1;
    const to = isLast ? (text.endsWith(part) ? text.length - part.length : -1) : text.indexOf(part, from + 1);
    if (to <= from) return undefined;
    found.push(text.slice(from, to));
    from = to + part.length;
  }
  // Several sentences are looked up one by one.
  return found.some((value) => /[.!?] \p{Lu}/u.test(value)) ? undefined : found;
}
