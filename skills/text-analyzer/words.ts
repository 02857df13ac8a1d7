/** A word with the characters before it in its sentence. */
export interface Word {
  text: string;
  lower: string;
  /** The characters between the word before and this one: spaces and punctuation. */
  before: string;
}

/** The words of a text in any language, by Unicode's rules; numbers count as words. */
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

/** The sentences of a text, trimmed. A blank line or a list item also ends a sentence. */
export function splitSentences(text: string, language?: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)/)
    .flatMap((block) => [...segmenter.segment(block.replace(/\s+/g, " "))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(sentence));
}

/** Whether a language has no spaces between words, so that letters per word are meaningless. */
export function isUnspaced(language: string): boolean {
  return ["zh", "ja", "th", "lo", "km", "my"].includes(language);
}

/** To two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
