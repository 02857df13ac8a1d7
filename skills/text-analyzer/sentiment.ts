import { splitClauses } from "./clauses.ts";
import { type ScoredWord, scoreWords } from "./score-words.ts";
import { round } from "./statistics.ts";
import type { Lexicon } from "./valence.ts";
import { splitSentences } from "./words.ts";

type SentimentLabel = "positive" | "negative" | "neutral" | "mixed";

export interface Sentiment {
  label: SentimentLabel;
  /** For a mixed text: which side has more weight. */
  leaning?: "positive" | "negative";
  /** -1 to 1. */
  score: number;
  positive: string[];
  negative: string[];
  contrasts: string[];
  /** Those with feeling, when there are several. */
  sentences: { text: string; label: SentimentLabel; score: number }[];
}

interface Weighed {
  text: string;
  contrast?: string | undefined;
  words: ScoredWord[];
}

/** Shown of a long text. */
const maxSentences = 12;
const maxWords = 10;
/** The smaller side must have this share of the larger one to make a text mixed. */
const mixedFrom = 0.25;
/** Scores nearer to zero are neutral. */
const neutralBelow = 0.1;

/** Judges a text by a lexicon, with negation, degree, contrast, capitals, exclamation marks and emoji. */
export function judgeSentiment(text: string, language: string, lexicon: Lexicon): Sentiment {
  const sentences = splitSentences(text, language).map((sentence) => weigh(sentence, language, lexicon));
  const words = sentences.flatMap((sentence) => sentence.words);
  const whole = labelOf(words, sentences.length);
  const telling = sentences.filter((sentence) => sentence.words.length > 0);
  return {
    ...whole,
    positive: strongest(words.filter((word) => word.value > 0)),
    negative: strongest(words.filter((word) => word.value < 0)),
    contrasts: sentences
      .flatMap((sentence) => (isContrast(sentence) ? [sentence.contrast ?? ""] : []))
      .slice(0, maxSentences),
    sentences: (telling.length > 1 ? telling : []).slice(0, maxSentences).map((sentence) => {
      const { label, score } = labelOf(sentence.words, 1);
      return { text: shorten(sentence.text), label, score };
    }),
  };
}

function weigh(sentence: string, language: string, lexicon: Lexicon): Weighed {
  const { clauses, contrast } = splitClauses(sentence, language);
  const emphasis = 1 + 0.1 * Math.min(3, sentence.match(/!/g)?.length ?? 0);
  const shouting = sentence === sentence.toUpperCase();
  const spoken = clauses.flatMap((clause) => {
    const scored = language === "en" ? scoreWords(clause.words, lexicon, shouting) : [];
    return scored.map((word) => ({ ...word, value: word.value * clause.weight * emphasis }));
  });
  const shown = lexicon.emoji(sentence).map(({ emoji, value }) => ({ text: emoji, value }));
  return { text: sentence, contrast, words: [...spoken, ...shown] };
}

/** A turn is only worth telling where the sides differ. */
function isContrast({ contrast, words }: Weighed): boolean {
  return (
    contrast !== undefined && words.some((word) => word.value > 0) && words.some((word) => word.value < 0)
  );
}

/** The sum of the values, squeezed to -1…1 the way VADER does; a long text is measured by its average sentence. */
function labelOf(
  words: readonly ScoredWord[],
  sentences: number,
): Pick<Sentiment, "label" | "leaning" | "score"> {
  const positive = sum(words.filter((word) => word.value > 0));
  const negative = -sum(words.filter((word) => word.value < 0));
  const total = (positive - negative) / Math.sqrt(Math.max(1, sentences));
  const score = round(total / Math.sqrt(total * total + 15));
  const smaller = Math.min(positive, negative);
  if (smaller > 0 && smaller >= mixedFrom * Math.max(positive, negative)) {
    if (Math.abs(score) < neutralBelow) return { label: "mixed", score };
    return { label: "mixed", leaning: score > 0 ? "positive" : "negative", score };
  }
  if (Math.abs(score) < neutralBelow) return { label: "neutral", score };
  return { label: score > 0 ? "positive" : "negative", score };
}

function sum(words: readonly ScoredWord[]): number {
  return words.reduce((total, word) => total + word.value, 0);
}

function strongest(words: readonly ScoredWord[]): string[] {
  const sorted = words.toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return [...new Set(sorted.map((word) => word.text))].slice(0, maxWords);
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The finding in one or two sentences. */
export function describeSentiment(sentiment: Sentiment): string {
  const { label, leaning, score, positive, negative, contrasts } = sentiment;
  const verdict =
    label === "mixed" && leaning !== undefined ? `Mixed, leaning ${leaning}` : capitalise(label);
  const reasons = [
    ...(positive.length > 0 ? [`in favour: ${positive.slice(0, 3).join(", ")}`] : []),
    ...(negative.length > 0 ? [`against: ${negative.slice(0, 3).join(", ")}`] : []),
  ];
  const why = reasons.length > 0 ? `; ${reasons.join("; ")}` : "; no word of feeling was found";
  const [contrast] = contrasts;
  return `${verdict} (${score.toFixed(2)} from -1 to 1)${why}.${contrast === undefined ? "" : ` ${contrast}.`}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
