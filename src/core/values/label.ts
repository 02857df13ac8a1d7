import { once } from "../../base/made-once.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import { pattern } from "../../base/pattern.ts";
import { invisible, joiner } from "../../base/text/invisible-text.ts";

/**
 * What people call themselves, their groups and their channels, as data: a label names, and is too short to say anything else. Whoever needs
 * to tell two apart goes by the id beside it.
 */

/** Maximum characters and words of a label. */
const maxCharacters = 40;
const maxWords = 4;

/** Maximum characters of a name that are looked at. */
const maxRead = 200;

const joiners = pattern("gv")`${joiner}`;

/** More combining marks than a letter has, and marks without a letter. */
const excess = /(?<=\p{M}{3})\p{M}+|(?<![\p{L}\p{Nd}\p{M}])\p{M}+/gu;

/**
 * Everything but letters with their marks, digits and `-_.'`. A full stop inside a word is no part of a name either, except after an
 * initial: no label is an address.
 */
const other = pattern(
  "gv",
)`(?:[^\p{L}\p{M}\p{Nd}\-_.']|${invisible}|\.(?=\p{M}*(?:\p{Nd}|\p{L}\p{M}*\p{L})))+`;

/**
 * The name as a label: at most 40 characters and four words of letters, digits, blanks and `-_.'`. A label that is not the whole name as it
 * was written ends with `…`. Empty only if the name is.
 */
export function labelOf(name: string): string {
  const read = name.trim().slice(0, maxRead);
  const written = read.replaceAll("’", "'").replace(joiners, "").normalize("NFC");
  const plain = beginningOf(
    written.replace(other, " ").replace(excess, "").replace(/ +/g, " ").trim(),
    maxCharacters,
  );
  const label = plain.slice(0, endOfWords(plain)).trim();
  if (label === written) return label;
  return `${beginningOf(label, maxCharacters - 1).replace(/(?<![-_ ])[-_ ]+$/, "")}…`;
}

const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "word" }));

/** Where the words end that a label may have, in any script. Initials are counted for themselves; signs do not make one word of two. */
function endOfWords(text: string): number {
  const counts = { initial: 0, word: 0 };
  for (const { segment, index, isWordLike } of segmenter().segment(text.replace(/[-_.']/g, " "))) {
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

/** The same on a card: `"Ben" <@U2BEN>`. The mention notifies nobody; where it can be shown, it leads to whom it means. */
export function mentioned(name: string, id: string, sign = "@"): string {
  return `"${labelOf(name)}" <${sign}${idOf(id)}>`;
}

/** The words of a name or text in lower case, separated by single spaces. */
export function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []).join(" ");
}

/** Whether a name, or the beginning of it, is that of a person. */
export function isCalled(
  { name, full_name = "" }: { name: string; full_name?: string | undefined },
  called: string,
): boolean {
  const wanted = wordsOf(called);
  return wanted !== "" && [name, full_name].some((each) => `${wordsOf(each)} `.startsWith(`${wanted} `));
}
