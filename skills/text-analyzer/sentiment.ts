import { round } from "./words.ts";

export interface Sentiment {
  label: "positive" | "negative" | "neutral" | "mixed";
  /** The balance of positive and negative words by their values, -1 to 1. */
  score: number;
  positive: string[];
  negative: string[];
}

/** A text is mixed if the smaller side has at least this share of the larger one. */
const mixedFrom = 0.25;
/** Maximum words shown of each side. */
const maxWords = 10;

/** Counts the words and emoji of an English text that AFINN-165 (Nielsen 2011) rates; “not” reverses the word after it. */
export async function countSentiment(text: string): Promise<Sentiment> {
  const { default: Counter } = await import("sentiment");
  const rated = new Counter()
    .analyze(text)
    .calculation.flatMap((word) => Object.entries(word))
    .toReversed();
  const side = (sign: 1 | -1) => rated.filter(([, value]) => value * sign > 0);
  const sum = (words: readonly [string, number][]) => words.reduce((all, [, value]) => all + value, 0);
  const named = (words: readonly [string, number][]) =>
    [...new Set(words.map(([word]) => word))].slice(0, maxWords);
  const [positive, negative] = [side(1), side(-1)];
  const [good, bad] = [sum(positive), -sum(negative)];
  const [smaller, larger] = [Math.min(good, bad), Math.max(good, bad)];
  const main = good > bad ? "positive" : "negative";
  const label = larger === 0 ? "neutral" : smaller >= mixedFrom * larger ? "mixed" : main;
  const score = round((good - bad) / Math.max(1, good + bad));
  return { label, score, positive: named(positive), negative: named(negative) };
}

/** The result in one sentence. */
export function describeSentiment({ label, score, positive, negative }: Sentiment): string {
  const found = [
    ...(positive.length > 0 ? [`in favour: ${positive.slice(0, 3).join(", ")}`] : []),
    ...(negative.length > 0 ? [`against: ${negative.slice(0, 3).join(", ")}`] : []),
  ];
  const why = found.length > 0 ? found.join("; ") : "no rated words were found";
  return `${label.charAt(0).toUpperCase()}${label.slice(1)} (${score} from -1 to 1); ${why}.`;
}
