import { cutForModel } from "./tool-output.ts";
import type { Turn } from "./turn.ts";

/** Counts the tokens of a text, roughly; budgets are guards, not bills. */
export type CountTokens = (text: string) => number;

/** The call id under which `read_tool_output` reads on in the person's own message. */
export const messageCallId = "message";

/** The person's message as the model sees it: its beginning and end, when it is too long. */
export function fitUserText(
  turn: Pick<Turn, "text" | "limits" | "turn_id">,
  countTokens: CountTokens,
): string {
  const name = `${messageCallId}:${turn.turn_id}`;
  return cutForModel(turn.text, turn.limits.message_tokens, name, countTokens);
}

/** As much of a text's beginning as fits into `tokens`, and how many characters that leaves out. */
export function fitBeginning(
  text: string,
  tokens: number,
  countTokens: CountTokens,
): { text: string; left_out: number } {
  // A token has at least one character, and hardly one has more than twelve.
  if (text.length <= tokens) return { text, left_out: 0 };
  let length = Math.min(text.length, Math.max(0, tokens) * 12);
  while (length > 0 && countTokens(text.slice(0, length)) > tokens) length = Math.floor(length * 0.8);
  const kept = text.slice(0, length).toWellFormed();
  return { text: kept, left_out: text.length - length };
}
