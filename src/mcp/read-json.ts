/** The value of a text; `lenient` says that it was not plain JSON. */
export type ReadJson = { ok: true; value: unknown; lenient: boolean } | { ok: false; reason: string };

/**
 * Reads JSON as editors write it: with comments and commas after the last entry. Nothing else is mended: a file that is only half
 * written must not be taken for one with fewer servers.
 */
export function readJson(text: string): ReadJson {
  const source = text.replace(/^\uFEFF/, "");
  if (source.trim() === "") return { ok: true, value: {}, lenient: false };
  const strict = parse(source);
  if (strict.ok) return strict;
  const plain = withoutCommas(withoutComments(source));
  // Everything keeps its place, so what is wrong beyond the comments is named with the right line and column.
  const read = parse(plain);
  return read.ok ? { ...read, lenient: true } : read;
}

function parse(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text), lenient: false };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A string; one without an end goes as far as the text, so that no text takes longer than its length. */
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/.source;

function withoutComments(text: string): string {
  const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/.source;
  return text.replace(new RegExp(`${string}|${comment}`, "g"), (found) => {
    const hasEnd = found.startsWith("//") || found.endsWith("*/");
    return found.startsWith("/") && hasEnd ? found.replace(/[^\r\n]/g, " ") : found;
  });
}

function withoutCommas(text: string): string {
  const last = /(?<=[\w"\]}]\s*),(?=\s*[\]}])/.source;
  return text.replace(new RegExp(`${string}|${last}`, "g"), (found) => (found === "," ? " " : found));
}
