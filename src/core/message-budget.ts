import type { Message } from "./message.ts";
import type { CountTokens } from "./prompt.ts";
import { cutForModel } from "./tool-output.ts";
import type { Turn } from "./turn.ts";

/** The call id under which `read_tool_output` reads on in the person's own message. */
export const messageCallId = "message";

/** The person's message as the model sees it: the beginning, when it is too long. */
export function fitUserText(turn: Turn, countTokens: CountTokens): string {
  return cutForModel(turn.text, turn.limits.message_tokens, messageCallId, countTokens);
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

/** Tool outputs of this many latest messages are never set aside. */
const latest = 6;

/**
 * The turn's messages within `tokens`: the oldest tool outputs are set aside first and stay readable through
 * `read_tool_output`. Skill guides and what people and the model said stay.
 */
export function fitMessages(
  messages: readonly Message[],
  tokens: number,
  countTokens: CountTokens,
): readonly Message[] {
  const characters = messages.reduce((sum, message) => sum + message.text.length, 0);
  if (characters <= tokens) return messages;
  let excess = messages.reduce((sum, message) => sum + countTokens(message.text), 0) - tokens;
  if (excess <= 0) return messages;
  return messages.map((message, index) => {
    const movable =
      message.role === "tool" && message.tool !== "activate_skill" && index < messages.length - latest;
    if (!movable || excess <= 0) return message;
    excess -= countTokens(message.text);
    return {
      ...message,
      text: `[set aside to save room; read_tool_output(call_id: ${JSON.stringify(message.call_id)}) reads it]`,
    };
  });
}
