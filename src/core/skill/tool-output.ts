import type { Json } from "../values/json.ts";
import { readableJson, readableJsonText } from "../values/readable-json.ts";
import { countLineBreaks, lastPartStart, partEnd } from "../values/text-part.ts";
import type { CountTokens } from "../values/token-count.ts";
import type { ToolResult } from "./tool.ts";

/** What the log keeps of a result: the output, or `{error, code, hint?, …}`. */
export function outputOf(result: ToolResult): Json {
  if (result.status === "ok") return result.output;
  const { message, code, hint, details } = result;
  return { error: message, code, ...(hint === undefined ? {} : { hint }), ...details };
}

/**
 * An output as text: a string as it is, anything else as `readableJson`, and so a long string that is JSON in few lines. Offsets of
 * `read_file` count in this text.
 */
export function outputText(output: Json): string {
  if (typeof output !== "string") return readableJson(output);
  return readableJsonText(output) ?? output;
}

/** How much of the room the beginning of a long text gets; its end gets the rest. */
const headShare = 0.7;

/**
 * A text that fits into about `tokens`: whole, or its beginning and its end with a note between them that says how much is left
 * out and how `read_file` reads it. `callId` is what that tool takes.
 */
export function cutForModel(text: string, tokens: number, callId: string, countTokens: CountTokens): string {
  if (text.length <= tokens) return text;
  // Hardly a token has more than twelve characters.
  if (text.length <= tokens * 12 && countTokens(text) <= tokens) return text;
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

/** Characters of a text's beginning or end that have at most so many tokens; at least 100. */
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
