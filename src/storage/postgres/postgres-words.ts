import { wordsIn } from "../words.ts";

/**
 * What full-text columns contain. Words are found here and not by a text search configuration, so that the same text is found as in SQLite:
 * PostgreSQL's parser keeps file names and addresses whole, and removing accents takes an extension that a user may not have.
 */

/** Maximum characters of a word: PostgreSQL indexes no longer ones than 2,046 bytes. */
const maxLength = 200;

/** The words of a text in lower case, and Latin ones without accents, as by FTS5's `unicode61 remove_diacritics 2`. */
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
