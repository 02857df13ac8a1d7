/** What the bot keeps out of by the structure of a message and its thread; a model judges the words of the others. */
import type { ThreadMessage } from "../../../core/ports/chat-actions.ts";
import { isDirectMessage } from "../../../core/values/place.ts";
import type { ChatMessage } from "../chat-intake.ts";

/** Lengths of a message that may be answered, characters. */
const minCharacters = 12;
const maxCharacters = 2_000;

/** Age from which a message is not answered unasked, ms. */
const maxAgeMs = 5 * 60_000;

/**
 * Why the bot does not consider to answer a message that is not for it, from the message alone; undefined for what a model may judge. Edits
 * are never judged.
 */
export function whySilent(message: ChatMessage, now: number): string | undefined {
  const { by_bot, place, missed, said_at, mentions_others, mentions = [], addressed } = message;
  if (by_bot) return "a bot wrote it";
  if (addressed !== "none" || isDirectMessage(place.namespace)) return "it is for the bot";
  if (missed || now - said_at > maxAgeMs) return "it is old";
  const text = message.text.trim();
  if (mentions_others || mentions.length > 0 || text.startsWith("@")) return "it is for somebody else";
  if (/^[/!]/.test(text)) return "it is a command";
  if (text.length > maxCharacters) return "it is too long";
  return text.length < minCharacters ? "it is too short" : undefined;
}

/**
 * The same from the messages of its thread. A thread in which the bot has spoken is left to those who call it, also because it may have
 * been told to keep out.
 */
export function whySilentIn(
  thread: readonly ThreadMessage[],
  { author, said_at }: Pick<ChatMessage, "author" | "said_at">,
): string | undefined {
  if (thread.some((each) => each.author.self)) return "the bot is in the thread";
  const others = thread.filter((each) => !each.author.bot && each.author.id !== author);
  if (others.some(({ at }) => at > said_at)) return "somebody has answered";
  return new Set(others.map((each) => each.author.id)).size === 1 ? "two people talk" : undefined;
}
