import type { ReplyMode } from "../../../core/skill/namespace-state.ts";
import type { ChatMessage } from "../chat-intake.ts";
import type { ThreadState } from "./thread-states.ts";

/** Whether the bot is spoken to directly: then refusals are told, and words like `stop` are commands. */
export function isAddressed({ addressed }: Pick<ChatMessage, "addressed">): boolean {
  return addressed !== "none";
}

/**
 * Whether a message is for the bot: when it is addressed, and without that as the channel's `reply` says. In mode `thread`
 * it answers in threads it was called into, while the asker is the only person there.
 */
export function isForBot(
  message: Pick<ChatMessage, "addressed" | "author" | "mentions_others" | "in_thread" | "text">,
  reply: ReplyMode,
  thread: ThreadState | undefined,
): boolean {
  const { addressed } = message;
  if (addressed === "mention" || addressed === "direct") return true;
  const toSomebodyElse = message.text.trimStart().startsWith("@");
  if (toSomebodyElse) return false;
  if (addressed === "reply") return true;
  if (message.mentions_others) return false;
  if (reply === "always") return true;
  return reply === "thread" && message.in_thread && isAloneWithBot(message, thread);
}

/** Whether nobody but the author and the bot is in a thread the bot was called into. */
export function isAloneWithBot(
  { author }: Pick<ChatMessage, "author">,
  thread: ThreadState | undefined,
): boolean {
  return thread?.company === "alone" && thread.asker === author;
}
