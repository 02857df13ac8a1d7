import { beginningOf } from "../../base/markdown-text.ts";

/**
 * What people call themselves, their groups and their channels, as data: a label names, and is too short to say anything else. Whoever needs
 * to tell two apart goes by the id beside it.
 */

/** Maximum characters and words of a label. */
const maxCharacters = 40;
const maxWords = 4;

/** Maximum characters of a name that are looked at. */
const maxRead = 200;

/** More combining marks than a letter has, and marks without a letter. */
const excess = /(?<=\p{M}{3})\p{M}+|(?<![\p{L}\p{Nd}\p{M}])\p{M}+/gu;

/**
 * Everything but letters with their marks, digits and `-_.'`. A full stop inside a word is no part of a name either, except after an
 * initial: no label is an address.
 */
const other = /(?:[^\p{L}\p{M}\p{Nd}\-_.']|\p{DI}|\.(?=\p{Nd}|\p{L}\p{M}*\p{L}))+/gu;

/**
 * The name as a label: at most 40 characters and four words of letters, digits, blanks and `-_.'`. A label that is not the whole name as it
 * was written ends with `…`. Empty only if the name is.
 */
export function labelOf(name: string): string {
  const read = name.trim().slice(0, maxRead);
  const written = read
    .replaceAll("’", "'")
    .replace(/[\u200c\u200d]/g, "")
    .normalize("NFC");
  const plain = beginningOf(
    written.replace(other, " ").replace(excess, "").replace(/ +/g, " ").trim(),
    maxCharacters,
  );
  const label = plain.slice(0, endOfWords(plain)).trim();
  if (label === written) return label;
  return `${beginningOf(label, maxCharacters - 1).replace(/[-_ ]+$/, "")}…`;
}

let segmenter: Intl.Segmenter | undefined;

/** Where the words end that a label may have, in any script. Initials are counted for themselves; signs do not make one word of two. */
function endOfWords(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  const counts = { initial: 0, word: 0 };
  for (const { segment, index, isWordLike } of segmenter.segment(text.replace(/[-_.']/g, " "))) {
    if (isWordLike !== true) continue;
    const kind = /^\p{LC}\p{M}*$/u.test(segment) ? "initial" : "word";
    counts[kind] += 1;
    if (counts[kind] > maxWords) return index;
  }
  return text.length;
}

/** An id as a model reads it: of a text that has not the form of one, the label. */
export function idOf(id: string): string {
  return /^[\p{L}\p{N}_.:@+-]+$/u.test(id) ? id : labelOf(id);
}

/** A person, group or channel as a model reads it: `"Ann Lee" (U0ANN)`. */
export function named(name: string, id: string): string {
  const [label, known] = [labelOf(name), idOf(id)];
  if (label === "") return known || "somebody";
  return known === "" || id === name ? `"${label}"` : `"${label}" (${known})`;
}
