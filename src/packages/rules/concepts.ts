import { once } from "../../base/made-once.ts";
import lexicon from "./lexicon.json" with { type: "json" };

/** The concepts of a sentence. */
export interface Concepts {
  stated: ReadonlySet<string>;
  /** Told to somebody, or told to happen: `send`, `you must send`, `is sent`. */
  ordered: ReadonlySet<string>;
  /** Only denied: `never send`, `without telling`. Things are never denied, acts are. */
  denied: ReadonlySet<string>;
}

/**
 * What skills speak about: `lexicon.json` has the words for each concept in the languages of known incidents. English words also stand for
 * their inflected forms (but not those of `exact`), `word*` for all words that begin so, `_` for a space. Chinese and Japanese words are found
 * within others. Its grammar has the words with which a sentence denies, orders and tells.
 */
const index = once(() => {
  const { grammar, ...kinds } = lexicon;
  const entries = new Map<string, { concept: string; kind: string }[]>();
  /** How many words the longest entry has that begins with a word. */
  const lengths = new Map<string, number>();
  for (const [kind, concepts] of Object.entries(kinds)) {
    for (const [concept, word] of Object.entries(concepts).flatMap(([each, words]) =>
      words.split(" ").map((word) => [each, word.replaceAll("_", " ")] as const),
    )) {
      entries.set(word, [...(entries.get(word) ?? []), { concept, kind }]);
      const [first = "", ...rest] = word.split(" ");
      lengths.set(first, Math.max(lengths.get(first) ?? 1, rest.length + 1));
    }
  }
  const roles = new Map(Object.entries(grammar).map(([role, words]) => [role, new Set(words.split(" "))]));
  const is = (role: keyof typeof grammar, word = "") => roles.get(role)?.has(word) === true;
  return { entries, lengths, is };
});

const tokens = /[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}]+|[.,;:!?()。；！？、，–—|]/gu;
const isSign = /^[.,;:!?()。；！？、，–—|]$/;
const isEnd = /^[.;:!?()。；！？–—|]$/;
const isWide = /^[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const maxTokens = 400;
/** Tokens that a negation reaches, and those of the longest entry of a script without spaces. */
const reach = 9;
const longest = 7;

interface Mark {
  concept: string;
  isOrder: boolean;
  isDenied: boolean;
}

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

/** Which words a negation reaches: those after it, or before it, in its part of the sentence. */
function denialOf(words: readonly string[]): boolean[] {
  const { is } = index();
  const isDenied = words.map(() => false);
  let [from, to, isBrief] = [0, -1, false];
  words.forEach((word, at) => {
    if (isEnd.test(word) || is("turns", word) || (word === "," && isBrief)) [from, to] = [at, -1];
    isDenied[at] = at <= to;
    if (is("behind", word)) isDenied.fill(true, Math.max(from, at - reach), at);
    if (is("negations", word)) [to, isBrief] = [at + reach, is("brief", word)];
  });
  return isDenied;
}

function marksAt(words: readonly string[], at: number, isDenied: boolean): Mark[] {
  const { entries, is } = index();
  const [word = "", before = "."] = [words[at], words[at - 1]];
  const isTold = isSign.test(before) || is("starters", before) || /^\d|[^a-z]/.test(before + word);
  const happens = is("happens", before);
  const marks = new Map<string, Mark>();
  for (const [entry, form] of entriesAt(words, at)) {
    for (const { concept, kind } of entries.get(entry) ?? []) {
      // `Email: …` is a label.
      const isLabel = concept === "copy" && words[at + 1] === ":";
      if (marks.has(concept) || isLabel || (form !== "" && kind === "exact")) continue;
      const isOrder = (form === "" && isTold) || (form !== "ing" && happens) || entry.endsWith("*");
      marks.set(concept, { concept, isOrder, isDenied: isDenied && kind !== "things" });
    }
  }
  return [...marks.values()];
}

/** The entries that may begin with a word of a text, and the ending that was taken off it. */
function entriesAt(words: readonly string[], at: number): (readonly [entry: string, ending: string])[] {
  const word = words[at] ?? "";
  const beginnings = Array.from(word.slice(0, 20), (_, end) => [`${word.slice(0, end + 1)}*`, ""] as const);
  const within = isWide.test(word)
    ? Array.from({ length: longest }, (_, end) => [words.slice(at, at + end + 1).join(""), ""] as const)
    : formsOf(word).flatMap(([base, ending]) =>
        phrasesFrom(base, words, at).map((each) => [each, ending] as const),
      );
  return [...within, ...beginnings];
}

/** A word alone and with those behind it, as far as entries that begin with it go; the last one in each of its forms. */
function phrasesFrom(base: string, words: readonly string[], at: number): string[] {
  const more = words.slice(at + 1, at + (index().lengths.get(base) ?? 1));
  return [
    base,
    ...more.flatMap((last, end) =>
      formsOf(last).map(([form]) => [base, ...more.slice(0, end), form].join(" ")),
    ),
  ];
}

/** Endings, and what stands in their place in the base form. */
const endings = "s es ies:y ed d ied:y ing ing:e".split(" ").map((each) => each.split(":"));

/** A word, and what it may be an inflected form of in English: `sends`, `tried`, `putting`. */
function formsOf(word: string): [base: string, ending: string][] {
  const inflected = endings.flatMap(([ending = "", instead = ""]): [string, string][] => {
    if (word.length <= ending.length + 2 || !word.endsWith(ending)) return [];
    const base = word.slice(0, -ending.length) + instead;
    return [base, base.replace(/(.)\1$/, "$1")].map((each) => [each, ending]);
  });
  return [[word, ""], ...inflected];
}

/** Whether a text speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained(text: string): boolean {
  const { stated } = conceptsOf(text);
  return stated.has("attack") || stated.has("wish");
}
