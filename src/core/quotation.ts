/** Whether a text says what is quoted from it: how claims are held to what they were taken from. */

/** The same for texts that differ in spaces, case, quotation marks, dashes and Markdown's signs alone. */
export function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[“”„‟«»‹›‘’‚‛"'`´]/g, "")
    .replace(/[‐‑‒–—―−]/g, "-")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_#>|\\~]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Words that a quotation needs; fewer prove nothing. */
const fewestCharacters = 8;

/** Whether a text has a quotation, whose parts may be joined by `…`. @param plain the text as `plainWords` makes it */
export function saysSo(plain: string, quotation: string): boolean {
  const parts = quotation
    .split(/…|\.\.\.|\[\.\.\.\]/)
    .map((part) => plainWords(part).replace(/^[.,;:\s]+|[.,;:\s]+$/g, ""))
    .filter((part) => part !== "");
  if (parts.join(" ").length < fewestCharacters) return false;
  let at = 0;
  for (const part of parts) {
    const found = plain.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Numbers of two digits and more that a text claims, without separators: `1,234.50` is `1234.5`. Numbers of references such as [3] and of
 * lists do not count.
 */
export function numbersIn(text: string): string[] {
  const bare = text.replace(/\[\d+\]/g, " ").replace(/^\s*\d+[.)]\s/gm, " ");
  const found = bare.match(/\d+(?:[.,']\d+|[\u00a0\u202f ]\d{3}(?!\d))*/g) ?? [];
  return [...new Set(found.map(plainNumber))].filter((number) => number.replace(/\D/g, "").length >= 2);
}

/** Without separators of thousands, and without zeros at the end of a fraction. */
function plainNumber(written: string): string {
  const text = written.replace(/[\u00a0\u202f' ](?=\d{3}\b)/g, "").replace(/[\u00a0\u202f' ].*$/, "");
  const last = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
  const fraction = last < 0 ? "" : text.slice(last + 1);
  const isMixed = text.includes(".") && text.includes(",");
  const isThousands = !isMixed && (fraction.length === 3 || (text.match(/[.,]/g)?.length ?? 0) > 1);
  if (last < 0 || isThousands) return text.replace(/[.,]/g, "");
  return `${text.slice(0, last).replace(/[.,]/g, "")}.${fraction}`.replace(/\.?0+$/, "");
}

/** Numbers of a claim that none of the texts it rests on has. */
export function unfoundNumbers(claim: string, texts: readonly string[]): string[] {
  const known = new Set(texts.flatMap(numbersIn));
  return numbersIn(claim).filter((number) => !known.has(number));
}
