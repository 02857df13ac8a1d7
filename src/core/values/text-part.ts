/** The share of a part, at its end, in which a line break is preferred as the end. */
const looseEnd = 0.3;

/**
 * Where a part that begins at `from` ends so that it has at most `length` characters (UTF-16 units): behind a line break if one
 * is near, and never between the halves of a surrogate pair. Always beyond `from` unless the text ends there.
 */
export function partEnd(text: string, from: number, length: number): number {
  const end = Math.min(text.length, from + Math.max(2, length));
  if (end === text.length) return end;
  const lineBreak = text.lastIndexOf("\n", end - 1);
  if (lineBreak >= from && lineBreak + 1 >= end - length * looseEnd) return lineBreak + 1;
  return isHalved(text, end) ? end - 1 : end;
}

/** Where the last part of a text begins: the same rule, counted from the end. */
export function lastPartStart(text: string, length: number): number {
  const start = Math.max(0, text.length - length);
  if (start === 0) return start;
  const lineBreak = text.indexOf("\n", start - 1);
  if (lineBreak >= 0 && lineBreak + 1 <= start + length * looseEnd) return lineBreak + 1;
  return isHalved(text, start) ? start + 1 : start;
}

/** Line breaks between two positions. */
export function countLineBreaks(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function isHalved(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
