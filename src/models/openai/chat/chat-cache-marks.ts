import type { OpenAI } from "openai";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

const mark = { cache_control: { type: "ephemeral" } };

/**
 * The messages with marks for Anthropic's prompt cache on the instructions, where the previous request ended, and at the
 * end. Texts become parts whether they are marked or not, so that only the marks move from request to request.
 * https://openrouter.ai/docs/features/prompt-caching
 */
export function markForCache(messages: readonly ChatMessage[]): ChatMessage[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  const marked = new Set([0, lastAnswer - 1, messages.length - 1]);
  return messages.map((message, index) => inParts(message, marked.has(index)));
}

function inParts(message: ChatMessage, isMarked: boolean): ChatMessage {
  if (message.role === "assistant" || message.role === "function") return message;
  const parts =
    typeof message.content === "string"
      ? [{ type: "text" as const, text: message.content }]
      : message.content;
  const content = parts.map((part, index) =>
    isMarked && index === parts.length - 1 ? { ...part, ...mark } : part,
  );
  return { ...message, content } as ChatMessage;
}
