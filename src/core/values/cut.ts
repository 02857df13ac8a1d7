import { countLineBreaks } from "./json.ts";
import type { CountTokens } from "./profile.ts";

/** The share of a part, at its end, in which a line break is preferred as the end. */
const looseEnd = 0.3;

/**
 * The end of a part that begins at `from` and has at most `length` characters (UTF-16 units): after a line break if one is near, and never
 * between the halves of a surrogate pair. Always beyond `from` unless the text ends there.
 */
export function partEnd(text: string, from: number, length: number): number {
  const end = Math.min(text.length, from + Math.max(2, length));
  if (end === text.length) return end;
  const lineBreak = text.lastIndexOf("\n", end - 1);
  if (lineBreak >= from && lineBreak + 1 >= end - length * looseEnd) return lineBreak + 1;
  return isHalved(text, end) ? end - 1 : end;
}

/** The start of the last part of a text, by the same rule, counted from the end. */
function lastPartStart(text: string, length: number): number {
  const start = Math.max(0, text.length - length);
  if (start === 0) return start;
  const lineBreak = text.indexOf("\n", start - 1);
  if (lineBreak >= 0 && lineBreak + 1 <= start + length * looseEnd) return lineBreak + 1;
  return isHalved(text, start) ? start + 1 : start;
}

function isHalved(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}

/**
 * A text of at most `max` characters: the whole, or its beginning after a note that says how long the whole is.
 * @param max if negative, the end is kept instead
 * @param rest how to read the rest; by default that cannot be read
 */
export function cut(text: string, max: number, rest = ""): string {
  if (text.length <= Math.abs(max)) return text;
  const part = max < 0 ? text.slice(lastPartStart(text, -max)) : text.slice(0, partEnd(text, 0, max));
  return `${cutNote(`the ${max < 0 ? "last" : "first"} ${part.length} of ${text.length} characters`, rest)}\n${part}`;
}

/** The note that precedes a part of a text. */
export function cutNote(shown: string, rest = ""): string {
  return `[cut: ${[shown, ...(rest === "" ? [] : [rest])].join("; ")}]`;
}

/** Share of the limit for the beginning of a long text; its end gets the rest. */
const headShare = 0.7;

/**
 * A text of about `tokens`: the whole text, or its beginning and end with a note between them that says how much is missing and how
 * `read_file` reads it. `callId` is the argument for `read_file`.
 */
export function cutForModel(text: string, tokens: number, callId: string, countTokens: CountTokens): string {
  if (fits(text, tokens, countTokens)) return text;
  const headEnd = partEnd(text, 0, fittingLength(text, tokens * headShare, countTokens, "head"));
  const tailStart = lastPartStart(text, fittingLength(text, tokens * (1 - headShare), countTokens, "tail"));
  if (tailStart <= headEnd) return text;
  const characters = tailStart - headEnd;
  const lines = countLineBreaks(text, headEnd, tailStart);
  const read = `read_file(path: ${JSON.stringify(callId)}`;
  const note = `[cut: ${characters} characters, ${lines} lines; ${read}, offset: ${headEnd}) reads on, ${read}, search: "words") finds a place]`;
  const head = text.slice(0, headEnd);
  return `${head}${head.endsWith("\n") ? "" : "\n"}${note}\n${text.slice(tailStart)}`;
}

/** Whether a text has at most this many tokens. */
export function fits(text: string, tokens: number, countTokens: CountTokens): boolean {
  // Hardly any token has more than twelve characters.
  return text.length <= tokens || (text.length <= tokens * 12 && countTokens(text) <= tokens);
}

/** The end of the beginning of a text that has about `tokens`; the text's own end if all of it fits. */
export function endWithin(text: string, tokens: number, countTokens: CountTokens): number {
  if (fits(text, tokens, countTokens)) return text.length;
  return partEnd(text, 0, fittingLength(text, tokens, countTokens, "head"));
}

/** Number of characters at a text's beginning or end that have at most this many tokens; at least 100. */
function fittingLength(
  text: string,
  tokens: number,
  countTokens: CountTokens,
  side: "head" | "tail",
): number {
  let length = Math.min(text.length, Math.ceil(tokens * 6));
  for (;;) {
    const part = side === "head" ? text.slice(0, length) : text.slice(text.length - length);
    const counted = countTokens(part);
    if (counted <= tokens || length <= 100) return length;
    length = Math.max(100, Math.floor(length * Math.min(0.95, tokens / counted)));
  }
}
