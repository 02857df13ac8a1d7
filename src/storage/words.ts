/** The words of a text: letters and digits, so that they contain no syntax of an index. */
export function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Scripts written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Separates words for an index and is invisible to people: a zero width space. */
export const gap = "\u200b";

/** The text with separators between words where its script has none. */
export function spaced(text: string): string {
  return text
    .replaceAll(gap, "")
    .replaceAll("\0", " ")
    .replace(unspaced, (run) =>
      [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(run)]
        .map(({ segment }) => segment)
        .join(gap),
    );
}
