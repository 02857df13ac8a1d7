import { counted } from "../../src/base/amounts.ts";
import { round, splitSentences, splitWords, type Word } from "./words.ts";

interface Score {
  formula: string;
  value: number;
  meaning: string;
}

export interface Readability {
  level: string;
  scores: Score[];
  longest_words: string[];
  note: string | undefined;
}

/** Minimum words for a reliable score. */
const enoughWords = 100;

/** The readability of a text; undefined for languages in which words and sentences do not measure it. */
export async function rateReadability(text: string, language: string): Promise<Readability | undefined> {
  const words = splitWords(text, language).filter(({ text: word }) => /\p{L}/u.test(word));
  const sentences = splitSentences(text, language).length;
  const spaced = words.some(({ text: word }) =>
    /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word),
  );
  if (!spaced || sentences === 0) return undefined;
  const lix = rateLix(words, sentences);
  const scores = language === "en" ? [...(await rateEnglish(words, sentences)), lix] : [lix];
  const long = [...new Set(words.map(({ lower }) => lower))].filter((word) => word.length > 9);
  return {
    level: scores[0]?.meaning ?? "",
    scores,
    longest_words: long.sort((a, b) => b.length - a.length).slice(0, 5),
    note:
      words.length < enoughWords ? `Only ${counted(words.length, "word")}: the scores are rough.` : undefined,
  };
}

/** Flesch 1948; Kincaid et al. 1975; Gunning 1952; Coleman and Liau 1975. */
async function rateEnglish(words: readonly Word[], sentences: number): Promise<Score[]> {
  const { syllable } = await import("syllable");
  const syllables = words.map((word) => Math.max(1, syllable(word.text)));
  const total = syllables.reduce((sum, each) => sum + each, 0);
  const complex = syllables.filter((each) => each >= 3).length;
  const letters = words.reduce((sum, word) => sum + word.text.length, 0);
  const perSentence = words.length / sentences;
  const perWord = total / words.length;
  const ease = 206.835 - 1.015 * perSentence - 84.6 * perWord;
  const grades: [string, number][] = [
    ["Flesch-Kincaid grade", 0.39 * perSentence + 11.8 * perWord - 15.59],
    ["Gunning fog", 0.4 * (perSentence + (100 * complex) / words.length)],
    ["Coleman-Liau", (0.0588 * letters * 100 - 0.296 * sentences * 100) / words.length - 15.8],
  ];
  return [
    { formula: "Flesch reading ease", value: round(ease), meaning: meaningOf(100 - ease, easeLevels) },
    ...grades.map(([formula, value]) => ({ formula, value: round(value), meaning: meaningOfGrade(value) })),
  ];
}

/** Läsbarhetsindex, Björnsson 1968: does not use syllables, so it is valid for most European languages. */
function rateLix(words: readonly Word[], sentences: number): Score {
  const long = words.filter((word) => [...word.text].length > 6).length;
  const value = words.length / sentences + (100 * long) / words.length;
  return { formula: "LIX", value: round(value), meaning: meaningOf(value, lixLevels) };
}

type Levels = readonly [below: number, meaning: string][];
const lixLevels: Levels = [
  [30, "very easy"],
  [40, "easy"],
  [50, "medium"],
  [60, "hard"],
  [Number.POSITIVE_INFINITY, "very hard"],
];
/** Levels of 100 minus the reading ease. */
const easeLevels: Levels = [
  [10, "very easy"],
  [20, "easy"],
  [30, "fairly easy"],
  [40, "plain"],
  [50, "fairly hard"],
  [70, "hard"],
  [Number.POSITIVE_INFINITY, "very hard"],
];

function meaningOfGrade(grade: number): string {
  if (grade < 1) return "first years of school";
  return grade > 16 ? "after university" : `school year ${Math.round(grade)} (US)`;
}

function meaningOf(value: number, levels: Levels): string {
  return levels.find(([bound]) => value < bound)?.[1] ?? "";
}

/** The result in one sentence. */
export function describeReadability({ level, scores }: Readability): string {
  const [main, ...others] = scores;
  if (main === undefined) return "Nothing to rate.";
  const grade = others.find((score) => score.formula === "Flesch-Kincaid grade");
  const extra = grade === undefined ? "" : `, ${grade.meaning}`;
  const reading = level.charAt(0).toUpperCase() + level.slice(1);
  return `${reading} to read: ${main.formula} ${main.value}${extra}.`;
}
