import { errorText } from "./error-text.ts";
import { parseExactly } from "./exact-number.ts";
import { pattern } from "./pattern.ts";

/** The value of a text. `lenient`: the text was not plain JSON. `reason` names line and column if the engine does. */
export type ReadJson = { ok: true; value: unknown; lenient: boolean } | { ok: false; reason: string };

/** Maximum characters of a text that is repaired: jsonrepair 3 takes quadratic time, a second for 20,000 opening braces. */
const maxRepaired = 5_000;

/**
 * Reads JSON as editors write it, with an optional byte order mark, comments and trailing commas. Takes linear time.
 * @param repair corrects other mistakes, or throws. It is used for short text only. Omit it for a file that may be incomplete, where a
 * guess is worse than an error
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

/** The value of a JSON text, perhaps with a byte order mark, with numbers as doubles; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

function parse(text: string): ReadJson {
  try {
    return { ok: true, value: parseExactly(text), lenient: false };
  } catch (error) {
    return { ok: false, reason: errorText(error) };
  }
}

/** A string. An unterminated string extends to the end of the text, so that reading takes linear time. */
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/;

/** Replaces comments with spaces, so that the rest keeps its line and column for error messages. */
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
