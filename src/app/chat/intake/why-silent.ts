/** The rule that decides without a model which messages the bot keeps out of. It drops most of them. */
import type { ThreadMessage } from "../../../core/ports/chat-actions.ts";
import { isDirectMessage } from "../../../core/values/place.ts";
import type { ChatMessage } from "../chat-intake.ts";

/** Lengths of a question that may be answered, characters. */
const minCharacters = 12;
const maxCharacters = 2_000;

/** Age from which a message is not answered unasked, ms. */
const maxAgeMs = 5 * 60_000;

/** Parts of a text whose question marks ask nothing. */
const quoted = /```[^`]*```|`[^`]*`|https?:\/\/\S+|^[ \t]*>.*$/gm;

/** A question mark after a word. */
const question = /[\p{L}\p{N})\]"'’”»]\s?[?？؟]/u;

/** Words of a question or a request for help without a question mark, in English, German, French and Spanish. */
const wishes = [
  /\b(?:how (?:do|can|would|could|should) (?:i|we|you|one)|does any(?:one|body)|(?:can|could) (?:some|any)(?:one|body)|any(?:one|body) (?:know|here who)|i wonder (?:how|what|why|whether|if)|(?:need|looking for) (?:some )?help|help me|any ideas?\b|is there a way)\b/i,
  /\b(?:wei(?:ß|ss) (?:hier )?(?:jemand|wer|einer)|(?:kann|könnte) (?:mir |uns )?(?:hier )?(?:jemand|wer|einer)|hat (?:hier )?jemand|wie (?:kann|könnte|bekomme?|mache?) (?:ich|man|wir)|ich frage mich,? (?:wie|was|ob|warum)|brauchen? (?:mal |dabei )?hilfe)\b/i,
  /(?:quelqu['’]un (?:sait|peut|pourrait|conna[iî]t)|comment (?:faire|puis-je|peut-on|on fait)|je me demande (?:comment|si|pourquoi|ce que)|besoin d['’]aide)\b/i,
  /(?:alguien (?:sabe|puede|podr[ií]a|conoce)|c[oó]mo (?:puedo|se puede|podemos|hago)|me pregunto (?:c[oó]mo|si|por qu[eé])|necesit(?:o|amos) ayuda)(?![\p{L}])/iu,
];

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
  const said = text.replace(quoted, " ").trim();
  if (said.length < minCharacters) return "it is too short";
  return question.test(said) || wishes.some((wish) => wish.test(said)) ? undefined : "it asks nothing";
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
