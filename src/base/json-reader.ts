import { errorText } from "./error-text.ts";
import { parseExactly } from "./exact-number.ts";
import { pattern } from "./pattern.ts";

/** The value of a text. `lenient` says that the text was not plain JSON. `reason` names line and column where the engine does. */
export type ReadJson = { ok: true; value: unknown; lenient: boolean } | { ok: false; reason: string };

/** Characters of the longest text that is repaired: jsonrepair 3 takes quadratic time, a second for 20,000 opening braces. */
const maxRepaired = 5_000;

/**
 * Reads JSON as editors write it: a byte order mark, comments and commas after the last entry are allowed. Takes linear time.
 * @param repair makes JSON of text with other mistakes, or throws; used for short text, and only where one is given: in a file that
 * may be half written, a guess is worse than an error
 */
export function readJson(text: string, repair?: (text: string) => string): ReadJson {
  const source = text.replace(/^\uFEFF/, "");
  const strict = parse(source);
  if (strict.ok) return strict;
  const plain = parse(withoutCommas(withoutComments(source)));
  if (plain.ok) return { ...plain, lenient: true };
  if (repair === undefined || source.length > maxRepaired) return plain;
  try {
    return { ok: true, value: parseExactly(repair(source)), lenient: true };
  } catch {
    return plain;
  }
}

function parse(text: string): ReadJson {
  try {
    return { ok: true, value: parseExactly(text), lenient: false };
  } catch (error) {
    return { ok: false, reason: errorText(error) };
  }
}

/** A string. One without an end reaches to the end of the text, so that reading takes linear time. */
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/;

/** Blanks stand for comments: everything keeps its line and column, for messages about it. */
function withoutComments(text: string): string {
  const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;
  return text.replace(pattern("g")`${string}|${comment}`, (found) => {
    const hasEnd = found.startsWith("//") || found.endsWith("*/");
    return found.startsWith("/") && hasEnd ? found.replace(/[^\r\n]/g, " ") : found;
  });
}

function withoutCommas(text: string): string {
  const last = /,(?=\s*[\]}])(?<=[\w"\]}]\s*,)/;
  return text.replace(pattern("g")`${string}|${last}`, (found) => (found === "," ? " " : found));
}
