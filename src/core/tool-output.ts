import type { Json } from "./json.ts";
import type { CountTokens } from "./message-budget.ts";
import type { ToolResult } from "./tool.ts";

/** What the log keeps of a result: the output, or `{error, code, hint?, …}`. */
export function outputOf(result: ToolResult): Json {
  if (result.status === "ok") return result.output;
  const { message, code, hint, details } = result;
  return { error: message, code, ...(hint === undefined ? {} : { hint }), ...details };
}

/** An output as text: a string as it is, anything else as JSON. */
export function outputText(output: Json): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/**
 * The beginning of a text that fits into `tokens`, with a note that tells the model how to read on. `callId` is what
 * `read_tool_output` takes.
 */
export function cutForModel(text: string, tokens: number, callId: string, countTokens: CountTokens): string {
  if (text.length <= tokens) return text;
  if (text.length <= tokens * 12 && countTokens(text) <= tokens) return text;
  let length = Math.min(text.length, tokens * 6);
  while (length > 200 && countTokens(text.slice(0, length)) > tokens) length = Math.floor(length * 0.8);
  const rest = text.length - length;
  return `${text.slice(0, length)}\n[cut: ${rest} more characters; read on with read_tool_output(call_id: ${JSON.stringify(callId)}, offset: ${length})]`;
}
