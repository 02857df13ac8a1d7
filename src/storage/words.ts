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

/** Maximum characters of a word: PostgreSQL indexes no longer ones than 2,046 bytes. */
const maxLength = 200;

/**
 * The words of a text in lower case, and Latin ones without accents, as by FTS5's `unicode61 remove_diacritics 2`. PostgreSQL gets them from
 * here and not from a text search configuration, so that the same text is found as in SQLite: its parser keeps file names and addresses
 * whole, and removing accents takes an extension that a user may not have.
 */
export function foldedWords(text: string): string[] {
  const plain = text.normalize("NFD").replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, "$1");
  return wordsIn(plain.normalize("NFC").toLowerCase()).map((word) => word.slice(0, maxLength));
}

/** Stands for the channel among the words of a text, so that the index finds the texts of one channel. No word begins with `@`. */
export function channelWord(namespace: string): string {
  return `@${namespace}`;
}

/** A word for a `tsquery` or `tsvector` in text form. */
export function quotedWord(word: string): string {
  return `'${word.replace(/['\\]/g, "$&$&")}'`;
}
