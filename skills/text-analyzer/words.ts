export interface Word {
  text: string;
  lower: string;
  /** The characters between the word before and this one. */
  between: string;
}

/** The words of a text in any language, by Unicode's rules; numbers count as words. */
export function splitWords(text: string, language: string): Word[] {
  const words: Word[] = [];
  let between = "";
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: "word" }).segment(text)) {
    if (isWordLike === true) words.push({ text: segment, lower: segment.toLowerCase(), between });
    between = isWordLike === true ? "" : between + segment;
  }
  return words;
}

/** The sentences of a text, trimmed. A blank line or a list item also ends a sentence. */
export function splitSentences(text: string, language: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)/)
    .flatMap((block) => [...segmenter.segment(block.replace(/\s+/g, " "))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(sentence));
}

/** To two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
