import { onOneLine } from "./text/invisible-text.ts";

/** Escapes text so that Markdown shows it unchanged. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
}

/**
 * How many marks stand on both sides of a place alike: the end of the text `before` it, mirrored at the beginning of the text `after` it,
 * as in `**…**`. Letters, digits and white space are no marks.
 */
export function marksAround(before: string, after: string): number {
  let count = 0;
  while (isMark(after.charAt(count)) && after.charAt(count) === before.at(-1 - count)) count += 1;
  return count;
}

function isMark(sign: string): boolean {
  return sign !== "" && isOnlyMarks(sign);
}

/** Whether a text has no letters, digits and white space. */
export function isOnlyMarks(text: string): boolean {
  return !/[\s\p{L}\p{N}]/u.test(text);
}

/** The beginning of a text in one line of at most `maxLength` UTF-16 units, cut between characters. Invisible characters are blanks. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(onOneLine(text), maxLength);
}

/** The beginning of a text, at most `maxLength` UTF-16 units including the ellipsis. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${beginningOf(text, Math.max(0, maxLength - 1)).trimEnd()}…`;
}

/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function few(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return names.slice(0, max).join(", ") + more;
}

let segmenter: Intl.Segmenter | undefined;

/** The characters that people see. The segmenter takes 12 ms to create, so it is created on first use. */
export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Maximum UTF-16 units of a character that is kept whole: families of emoji have up to 25. */
const maxCharacter = 64;

/** The beginning of a text, at most `maxLength` UTF-16 units, that ends with a whole visible character. */
export function beginningOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const from = Math.max(0, maxLength - maxCharacter);
  const around = text.slice(from, maxLength + maxCharacter);
  const at = charactersOf(around).containing(maxLength - from)?.index ?? 0;
  const end = at === 0 && from > 0 ? maxLength : from + at;
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "");
}
