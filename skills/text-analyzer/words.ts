/** A word and where it stands in its sentence, as a reader sees it. */
export interface Word {
  text: string;
  lower: string;
  /** The characters between the word before and this one: spaces and punctuation. */
  before: string;
}

/** The words of a text in any language, by the rules of Unicode; numbers are words. */
export function splitWords(text: string, language?: string): Word[] {
  const words: Word[] = [];
  let before = "";
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: "word" }).segment(text)) {
    if (isWordLike === true) {
      words.push({ text: segment, lower: segment.toLowerCase().replaceAll("’", "'"), before });
      before = "";
    } else before += segment;
  }
  return words;
}

/** The sentences of a text, trimmed. A line break after a line without a full stop ends one too (headings, lists). */
export function splitSentences(text: string, language?: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)/)
    .flatMap((block) => [...segmenter.segment(block.replace(/\s+/g, " "))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(sentence));
}

/** Whether a language puts no spaces between words: counts of letters per word say nothing there. */
export function isUnspaced(language: string): boolean {
  return ["zh", "ja", "th", "lo", "km", "my"].includes(language);
}

/** `1 word`, `2 words`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`;
}

/** To two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
