import { once } from "../../base/made-once.ts";
import lexicon from "./lexicon.json" with { type: "json" };

/**
 * The concepts of a sentence. They are stated; ordered if somebody is told so, or told that it happens (`send`, `you must send`, `is sent`); only
 * denied (`never send`, `without telling`). Things are never denied, acts are.
 */
type Concepts = Record<"stated" | "ordered" | "denied", ReadonlySet<string>>;
/** What a word or phrase stands for, and what was added to its listed form. */
type Entry = Record<"concept" | "kind" | "ending", string>;
type Mark = { concept: string; isOrder: boolean; isDenied: boolean };

/**
 * What skills speak about: `lexicon.json` has the words for each concept in the languages of known incidents. English words also stand for
 * their inflected forms (but not those of `exact`), `word*` for all words that begin so, `_` for a space. Chinese and Japanese words are found
 * within others. Its grammar has the words with which a sentence denies, orders and tells.
 */
const index = once(() => {
  const { grammar, ...kinds } = lexicon;
  const entries = new Map<string, Entry[]>();
  for (const [kind, concepts] of Object.entries(kinds)) {
    for (const [concept, words] of Object.entries(concepts)) {
      for (const [entry, ending] of words.split(" ").flatMap((word) => formsOf(word, kind))) {
        const known = entries.get(entry) ?? [];
        if (!known.some((each) => each.concept === concept))
          entries.set(entry, [...known, { concept, kind, ending }]);
      }
    }
  }
  const roles = new Map(Object.entries(grammar).map(([role, words]) => [role, new Set(words.split(" "))]));
  return { entries, is: (role: keyof typeof grammar, word = "") => roles.get(role)?.has(word) === true };
});

/** What English words get at their ends. */
const endings: readonly (readonly [RegExp, string])[] = [
  ...["s", "es"].map((form) => [/$/, form] as const),
  ...["ies", "ied"].map((form) => [/y$/, form] as const),
  ...["ed", "ing"].map((form) => [/e?$/, form] as const),
  ...["$1$1ed", "$1$1ing"].map((form) => [/([b-df-hj-np-tvz])$/, form] as const),
];

/** A listed word or phrase, and the forms in which its first or last word may be: `tries`, `putting`, `takes over`. */
function formsOf(listed: string, kind: string): (readonly [entry: string, ending: string])[] {
  const phrase = listed.replaceAll("_", " ");
  if (kind === "exact" || !/^[a-z ]+$/.test(phrase)) return [[phrase, ""]];
  const inflected = endings.flatMap(([end, form]) => [
    [phrase.replace(end, form), form] as const,
    [phrase.replace(/^\w+/, (first) => first.replace(end, form)), form] as const,
  ]);
  return [[phrase, ""], ...inflected];
}

const tokens = /[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}]+|[.,;:!?()。；！？、，–—|]/gu;
const isSign = /^[.,;:!?()。；！？、，–—|]$/;
const isEnd = /^[.;:!?()。；！？–—|]$/;
const isWide = /^[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const maxTokens = 400;
/** Tokens that a negation reaches, those of the longest entry, and letters of the longest beginning. */
const [reach, longest, maxBeginning] = [9, 7, 20];

/** Reads the concepts of a sentence. Takes time proportional to its length. */
export function conceptsOf(text: string): Concepts {
  const plain = text
    .toLowerCase()
    .replace(/n['’]t\b/g, " not")
    .replace(/['’](?:s|re|ve|ll|m|d)\b|(?<=\w)\.(?=\w)/g, " ");
  const words = (plain.match(tokens) ?? []).slice(0, maxTokens);
  const isDenied = denialOf(words);
  const marks = words.flatMap((_, at) => marksAt(words, at, isDenied[at] ?? false));
  const those = (which: (mark: Mark) => boolean) =>
    new Set(marks.filter(which).map(({ concept }) => concept));
  return {
    stated: those((mark) => !mark.isDenied),
    ordered: those((mark) => mark.isOrder && !mark.isDenied),
    denied: those((mark) => mark.isDenied),
  };
}

/** Whether a text speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained(text: string): boolean {
  const { stated } = conceptsOf(text);
  return stated.has("attack") || stated.has("wish");
}

/** Whether a name is made of names that texts of all kinds speak of: products, places, languages, days. */
export function isFamous(name: string): boolean {
  const words = name.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length > 0 && words.every((word) => index().is("famous", word));
}

/** Which words a negation reaches: those after it in its part of the sentence. */
function denialOf(words: readonly string[]): boolean[] {
  const { is } = index();
  let last = -1;
  return words.map((word, at) => {
    if (isEnd.test(word) || is("turns", word)) last = -1;
    const isDenied = at <= last;
    if (is("negations", word)) last = at + reach;
    return isDenied;
  });
}

/** The concepts whose words begin at a place. */
function marksAt(words: readonly string[], at: number, isDenied: boolean): Mark[] {
  const { entries, is } = index();
  const [word = "", before = "."] = [words[at], words[at - 1]];
  const isTold = isSign.test(before) || is("starters", before) || /^\d|[^a-z]/.test(before + word);
  const space = isWide.test(word) ? "" : " ";
  const phrases = Array.from({ length: longest }, (_, more) => words.slice(at, at + more + 1).join(space));
  const beginnings = Array.from(word.slice(0, maxBeginning), (_, end) => `${word.slice(0, end + 1)}*`);
  const marks = [...phrases, ...beginnings].flatMap((entry) =>
    (entries.get(entry) ?? []).map(({ concept, kind, ending }): Mark => {
      const isOrder =
        (ending === "" && isTold) ||
        (!ending.endsWith("ing") && is("happens", before)) ||
        entry.endsWith("*");
      return { concept, isOrder, isDenied: isDenied && kind !== "things" };
    }),
  );
  // `Email: …` is a label.
  return words[at + 1] === ":" ? marks.filter(({ concept }) => concept !== "copy") : marks;
}
