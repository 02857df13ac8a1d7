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
const happens = listed("is are be been gets get was were will it agent assistant skill bot script which");
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
  clause: number;
  isOrder: boolean;
  isDenied: boolean;
}

/** Reads the concepts of a sentence. Takes time proportional to its length. */
export function conceptsOf(text: string): Concepts {
  const plain = text
    .toLowerCase()
    .replace(/n['’]t\b/g, " not")
    .replace(/['’](?:s|re|ve|ll|m|d)\b/g, "")
    .replace(/(?<=\w)\.(?=\w)/g, " ");
  const words = (plain.match(tokens) ?? []).slice(0, maxTokens);
  const found: Mark[] = [];
  let deniedTo = -1;
  let clause = -1;
  let isBrief = false;
  words.forEach((word, at) => {
    if (isEnd.test(word) || turns.has(word) || (word === "," && isBrief)) {
      clause = at;
      deniedTo = -1;
    }
    const before = words[at - 1] ?? ".";
    const isNoun = determiners.has(before);
    const isTold = isSign.test(before) || starters.has(before) || /^\d|[^a-z]/.test(before + word);
    for (const [concept, form] of conceptsAt(words, at)) {
      // `Email: …` is a label.
      if ((isNoun && verbs.has(concept)) || (concept === "copy" && words[at + 1] === ":")) continue;
      if (form.length > 1 && exactly.has(concept)) continue;
      const isOrder = form === "*" || (form === "" && isTold) || (form !== "ing" && happens.has(before));
      found.push({ concept, at, clause, isOrder, isDenied: at <= deniedTo && acts.has(concept) });
    }
    if (mitigators.has(words[at + 1] ?? "")) return;
    if (negations.has(word)) {
      deniedTo = at + reach;
      isBrief = brief.has(word);
    }
    if (behind.has(word))
      for (const each of found.filter(
        (mark) => mark.at > clause && mark.at >= at - reach && acts.has(mark.concept),
      ))
        each.isDenied = true;
  });
  const those = (which: (mark: Mark) => boolean) =>
    new Set(found.filter(which).map(({ concept }) => concept));
  return {
    stated: those(({ isDenied }) => !isDenied),
    ordered: those(({ isDenied, isOrder }) => isOrder && !isDenied),
    denied: those(({ isDenied }) => isDenied),
    precedes: (first, second) =>
      found.some(
        (mark) =>
          mark.concept === second &&
          !mark.isDenied &&
          found.some(
            (each) =>
              each.concept === first &&
              each.clause === mark.clause &&
              each.at < mark.at &&
              mark.at - each.at <= reach,
          ),
      ),
  };
}

/** The concepts of the entries that begin with a word of a text, and the ending that was taken off it; `*` for a word of another language. */
function conceptsAt(words: readonly string[], at: number): Map<Word, string> {
  const word = words[at] ?? "";
  const found = new Map<Word, string>();
  const take = (concepts: readonly Word[] = [], form = "") => {
    for (const concept of concepts) if (!found.has(concept)) found.set(concept, form);
  };
  if (isWide.test(word)) {
    for (let end = at + 1; end <= at + longest; end += 1) take(exact.get(words.slice(at, end).join("")));
    return found;
  }
  for (const [base, form] of formsOf(word)) {
    take(exact.get(base), form);
    for (let length = 2; length <= Math.min(lengths.get(base) ?? 1, words.length - at); length += 1) {
      const rest = words.slice(at + 1, at + length - 1).join(" ");
      for (const [last] of formsOf(words[at + length - 1] ?? ""))
        take(exact.get(`${base} ${rest === "" ? "" : `${rest} `}${last}`), form);
    }
  }
  for (let end = 2; end <= Math.min(word.length, 20); end += 1) take(beginnings.get(word.slice(0, end)), "*");
  return found;
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
