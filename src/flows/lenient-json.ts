import { jsonrepair } from "jsonrepair";
import type { Json } from "../core/json.ts";

/** Characters; the repair of longer text that is far from JSON may take minutes (jsonrepair 3 takes quadratic time on some). */
const longestRepaired = 20_000;

/**
 * The value of JSON text, also of text with comments, commas too many and, where it is short, other mistakes; undefined when it is
 * none.
 */
export function parseLenient(text: string): Json | undefined {
  const whole = text.replace(/^\uFEFF/, "");
  const attempts = [
    () => whole,
    () => withoutExtras(whole),
    () => (whole.length > longestRepaired ? whole : jsonrepair(whole)),
  ];
  for (const attempt of attempts) {
    try {
      return JSON.parse(attempt()) as Json;
    } catch {
      // The next attempt is more lenient; undefined after the last.
    }
  }
  return undefined;
}

/** Without comments, and without commas before closing brackets. Takes linear time. */
function withoutExtras(text: string): string {
  const kept: string[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfPiece(text, at);
    const isComment = text.startsWith("//", at) || text.startsWith("/*", at);
    if (!isComment) {
      const isClosing = text[at] === "]" || text[at] === "}";
      if (isClosing && kept.at(-1) === ",") kept.pop();
      const piece = text.slice(at, end);
      if (piece.trim() !== "") kept.push(piece);
    }
    at = end;
  }
  return kept.join(" ");
}

/** Of a string, a comment, or what stands until the next of them, a comma or a bracket. */
function endOfPiece(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at);
  if (text.startsWith("//", at)) return endAfter(text, "\n", at);
  if (text.startsWith("/*", at)) return endAfter(text, "*/", at + 2);
  if (/[,[\]{}]/.test(text[at] ?? "")) return at + 1;
  let end = at + 1;
  while (end < text.length && !/["/,[\]{}]/.test(text[end] ?? "")) end += 1;
  return end;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}
