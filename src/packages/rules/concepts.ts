import { lexicon, type Word } from "./lexicon.ts";

/** The concepts of a sentence. */
export interface Concepts {
  stated: ReadonlySet<string>;
  /** Told to somebody, or told to happen: `send`, `you must send`, `is sent`. */
  ordered: ReadonlySet<string>;
  /** Only denied: `never send`, `without telling`. Things are never denied, acts are. */
  denied: ReadonlySet<string>;
  /** Whether one is stated shortly before another, in the same clause. */
  precedes(first: string, second: string): boolean;
}

const listed = (words: string) => new Set(words.split(/\s+/));
const negations = listed(
  `never not cannot without avoid avoids nobody nothing no neither nor stop stops prevent prevents forbid forbids prohibit refuse refuses instead rather
  nicht nichts nie niemals kein keine keinen keiner keinem ohne jamais sans aucun ne ni nunca jamás sin ningún non mai senza não sem не нельзя без никогда
  不 勿 别 無`,
);
/** Those that end with their part of the sentence: `without a visit, ask`. */
const brief = listed("without no ohne sans sin senza sem без");
/** Negations that stand behind what they deny. */
const behind = listed("nicht nichts nie niemals pas jamais な");
const turns = listed("but instead then however sondern aber mais pero ma но");
const mitigators = listed("only just merely nur seulement sólo solo только 仅 只");
/** Before a noun: what looks like a verb is none. */
const determiners = listed(
  "a an the this that these each every your their his her our its my any some no last latest next one whole entire full complete per of",
);
/** Before a verb in its base form that tells somebody what to do; before a participle or third person that tells what happens. */
const starters = listed(
  `and or then to must should shall always never please also you not first finally just simply silently quietly secretly afterwards now will instead
  once here done finished ready uploaded answer reply response message turn task session conversation day week`,
);
/** Before a participle or third person that tells what happens. */
const happens = listed("is are be been gets get was were will it which");
/** Whoever acts in the third person. */
const actors = listed("it agent assistant skill bot script task");
/** Asked by somebody (`asks whether`) they mean something else. */
const exactly = new Set<Word>(["ask", "wish", "have"]);
const acts = new Set(
  `send copy put open admit keep tell deem exchange off on choose typed have favour omit make use consent agreed comply ignore precede decode wonder
  wish ask forge favour hush`.split(/\s+/) as Word[],
);
/** Acts whose words are nouns as well. */
const verbs = new Set(
  "send copy put open admit keep deem exchange off on choose typed favour omit make use comply ignore".split(
    " ",
  ) as Word[],
);

/** By their words. A word that others begin with is in `beginnings`. */
const exact = new Map<string, Word[]>();
const beginnings = new Map<string, Word[]>();
/** How many words the longest entry has that begins with a word. */
const lengths = new Map<string, number>();
for (const [concept, words] of Object.entries(lexicon) as [Word, string][]) {
  for (const word of words.split(/\s+/)) {
    const index = word.endsWith("*") || /\p{Script=Hangul}/u.test(word) ? beginnings : exact;
    const written = word.replace("*", "").replaceAll("_", " ");
    index.set(written, [...(index.get(written) ?? []), concept]);
    const [first = "", ...rest] = written.split(" ");
    lengths.set(first, Math.max(lengths.get(first) ?? 1, rest.length + 1));
  }
}

const tokens = /[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}]+|[.,;:!?()。；！？、，–—|]/gu;
const isSign = /^[.,;:!?()。；！？、，–—|]$/;
const isEnd = /^[.;:!?()。；！？–—|]$/;
const isWide = /^[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const maxTokens = 400;
/** Tokens that a negation reaches, and those of the longest entry. */
const reach = 9;
const longest = 7;

interface Mark {
  concept: Word;
  at: number;
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
  const found = words.flatMap((_, at) => marksAt(words, at, isDenied[at] ?? false));
  const those = (which: (mark: Mark) => boolean) =>
    new Set<string>(found.filter(which).map(({ concept }) => concept));
  return {
    stated: those((mark) => !mark.isDenied),
    ordered: those((mark) => mark.isOrder && !mark.isDenied),
    denied: those((mark) => mark.isDenied),
    precedes: (first, second) => {
      const last = found.findLast(({ concept, isDenied }) => concept === second && !isDenied)?.at ?? -1;
      const isNear = ({ concept, at }: Mark) => concept === first && at < last && last - at <= reach;
      return found.some(
        (mark) => isNear(mark) && !words.slice(mark.at, last).some((word) => isEnd.test(word)),
      );
    },
  };
}

/** Which words a negation reaches: those after it, or before it, in its part of the sentence. */
function denialOf(words: readonly string[]): boolean[] {
  const isDenied = words.map(() => false);
  let [from, to, isBrief] = [0, -1, false];
  words.forEach((word, at) => {
    if (isEnd.test(word) || turns.has(word) || (word === "," && isBrief)) {
      from = at;
      to = -1;
    }
    isDenied[at] = at <= to;
    if (mitigators.has(words[at + 1] ?? "")) return;
    if (behind.has(word)) isDenied.fill(true, Math.max(from, at - reach), at);
    if (!negations.has(word)) return;
    to = at + reach;
    isBrief = brief.has(word);
  });
  return isDenied;
}

function marksAt(words: readonly string[], at: number, isDenied: boolean): Mark[] {
  const before = words[at - 1] ?? ".";
  const isNoun = determiners.has(before);
  const isTold = isSign.test(before) || starters.has(before) || /^\d|[^a-z]/.test(before + words[at]);
  return [...conceptsAt(words, at)].flatMap(([concept, form]): Mark[] => {
    // `Email: …` is a label.
    const isLabel = concept === "copy" && words[at + 1] === ":";
    if ((isNoun && verbs.has(concept)) || isLabel || (form.length > 1 && exactly.has(concept))) return [];
    const isDone = form === "-s" && words.slice(0, at).some((word) => actors.has(word));
    const isHappening = form !== "ing" && happens.has(before);
    const isOrder = form === "*" || (form === "" && isTold) || isHappening || isDone;
    return [{ concept, at, isOrder, isDenied: isDenied && acts.has(concept) }];
  });
}

/** The concepts of the entries that begin with a word of a text, and the ending that was taken off it; `*` for a word of another language. */
function conceptsAt(words: readonly string[], at: number): Map<Word, string> {
  const word = words[at] ?? "";
  const ends = Array.from({ length: Math.min(word.length, 20) }, (_, end) => word.slice(0, end + 1));
  const entries = isWide.test(word)
    ? Array.from({ length: longest }, (_, end) => [words.slice(at, at + end + 1).join(""), ""] as const)
    : formsOf(word).flatMap(([base, form]) =>
        phrasesFrom(base, words, at).map((each) => [each, form] as const),
      );
  const found = new Map<Word, string>();
  for (const [entry, form] of entries)
    for (const concept of exact.get(entry) ?? []) if (!found.has(concept)) found.set(concept, form);
  for (const concept of ends.flatMap((each) => beginnings.get(each) ?? []))
    if (!found.has(concept)) found.set(concept, "*");
  return found;
}

/** A word alone and with those behind it, as far as entries that begin with it go; the last one in each of its forms. */
function phrasesFrom(base: string, words: readonly string[], at: number): string[] {
  const longer = Array.from({ length: (lengths.get(base) ?? 1) - 1 }, (_, more) => at + more + 1);
  return [
    base,
    ...longer.flatMap((end) =>
      formsOf(words[end] ?? "").map(([last]) => [base, ...words.slice(at + 1, end), last].join(" ")),
    ),
  ];
}

const endings = [
  ["s", "", "-s"],
  ["es", "", "-s"],
  ["ies", "y", "-s"],
  ["ed", "", "ed"],
  ["d", "", "ed"],
  ["ied", "y", "ed"],
  ["ing", "", "ing"],
  ["ing", "e", "ing"],
] as const;

/** A word, and what it may be an inflected form of in English. */
function formsOf(word: string): [base: string, ending: string][] {
  const [, stem, letter, end = ""] = /^(.{2,})(.)\2(ed|ing)$/.exec(word) ?? [];
  return [
    [word, ""],
    ...(stem === undefined ? [] : ([[`${stem}${letter}`, end]] as [string, string][])),
    ...endings.flatMap(([ending, instead, form]): [string, string][] =>
      word.length > ending.length + 2 && word.endsWith(ending)
        ? [[word.slice(0, -ending.length) + instead, form]]
        : [],
    ),
  ];
}
