/** Checks whether a text contains a quotation, so that claims can be verified against their sources. */

/** Normalises a text: equal for texts that differ only in spaces, case, quotation marks, dashes and Markdown characters. */
export function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[“”„‟«»‹›‘’‚‛"'`´]/g, "")
    .replace(/[‐‑‒–—―−]/g, "-")
    .replace(/!?\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1")
    .replace(/[*_#>|\\~]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Minimum characters of a quotation; shorter ones prove nothing. */
const minCharacters = 8;
/** Maximum characters that `…` may replace. Parts that are further apart are not one passage. */
const maxGap = 600;

/** Maximum positions at which a match is tried. After each match of the first part, the other parts are searched. */
const maxTried = 2_000;

/** Whether a text contains a quotation in whole words. Its parts may be joined by `…`. @param plain the text as returned by `plainWords` */
export function saysSo(plain: string, quotation: string): boolean {
  const parts = quotation
    .split(/…|\.\.\.|\[\.\.\.\]/)
    .map((part) => plainWords(part).replace(/^[.,;:\s]+|(?<![.,;:\s])[.,;:\s]+$/g, ""))
    .filter((part) => part !== "");
  if (parts.join(" ").length < minCharacters) return false;
  const [first = "", ...others] = parts;
  let at = wholeWords(plain, first, 0);
  for (let tried = 0; at >= 0 && tried < maxTried; tried += 1) {
    if (goesOn(plain, at + first.length, others)) return true;
    at = wholeWords(plain, first, at + 1);
  }
  return false;
}

/** Whether the other parts follow, each near the one before it. */
function goesOn(plain: string, from: number, parts: readonly string[]): boolean {
  let at = from;
  for (const part of parts) {
    // Includes the neighbouring characters, which show whether the match is a whole word.
    const near = plain.slice(Math.max(0, at - 2), at + maxGap + part.length + 2);
    const found = wholeWords(near, part, Math.min(2, at));
    if (found < 0) return false;
    at = Math.max(0, at - 2) + found + part.length;
  }
  return true;
}

/** The position of a part from `from` on, not inside a longer word or number; -1 if there is none. */
function wholeWords(plain: string, part: string, from: number): number {
  for (let at = plain.indexOf(part, from); at >= 0; at = plain.indexOf(part, at + 1))
    if (!isWithin(plain, at) && !isWithin(plain, at + part.length)) return at;
  return -1;
}

/** Whether a position is inside a number, or inside a word of a script that separates words by spaces. */
function isWithin(plain: string, at: number): boolean {
  const around = plain.slice(Math.max(0, at - 2), at + 2);
  const [before, after] = [plain.slice(Math.max(0, at - 1), at), plain.slice(at, at + 1)];
  if (/\d/.test(before) && /\d/.test(after)) return true;
  if (isSpacedLetter.test(before) && isSpacedLetter.test(after)) return true;
  // 3.5 is neither 3 nor 5.
  return /^\d[.,]\d/.test(around) || /\d[.,]\d$/.test(around);
}

const isSpacedLetter =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\p{L}/u;

/**
 * Numbers of two or more digits that a text claims, without separators: `1,234.50` is `1234.5`. Numbers of references such as [3] and of
 * lists do not count.
 */
export function numbersIn(text: string): string[] {
  const bare = text.replace(/\[\d+\]/g, " ").replace(/^[^\S\n]*\d+[.)]\s/gm, " ");
  const found = bare.match(/\d+(?:[.,']\d+|[\u00a0\u202f ]\d{3}(?!\d))*/g) ?? [];
  return [...new Set(found.map(plainNumber))].filter((number) => number.replace(/\D/g, "").length >= 2);
}

/** The number without thousands separators, and without trailing zeros of a fraction. */
function plainNumber(written: string): string {
  const text = written.replace(/[\u00a0\u202f' ](?=\d{3}\b)/g, "").replace(/[\u00a0\u202f' ].*$/, "");
  const last = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
  const fraction = last < 0 ? "" : text.slice(last + 1);
  const isMixed = text.includes(".") && text.includes(",");
  const isThousands = !isMixed && (fraction.length === 3 || (text.match(/[.,]/g)?.length ?? 0) > 1);
  if (last < 0 || isThousands) return text.replace(/[.,]/g, "");
  return `${text.slice(0, last).replace(/[.,]/g, "")}.${fraction}`.replace(/\.0+$|(?<!0)0+$/, "");
}

/** Numbers of a claim that appear in none of its sources. */
export function unfoundNumbers(claim: string, texts: readonly string[]): string[] {
  const known = new Set(texts.flatMap(numbersIn));
  return numbersIn(claim).filter((number) => !known.has(number));
}
