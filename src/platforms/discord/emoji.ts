import { PlatformError } from "../../core/chat-platform.ts";

/** An emoji of a server's own. */
export interface OwnEmoji {
  id: string;
  name: string;
}

/**
 * An emoji as Discord's paths name it: the character itself, or `name:id` for one of the server's own. Names are GitHub's (`thumbsup`),
 * which people and models know. @throws PlatformError for what is none
 */
export async function emojiPath(name: string, own: () => Promise<readonly OwnEmoji[]>): Promise<string> {
  const { nameToEmoji } = await import("gemoji");
  if (isCharacter(name)) return encodeURIComponent(name);
  const wanted = name.replace(/^:|:$/g, "");
  const character = nameToEmoji[wanted];
  if (character !== undefined) return encodeURIComponent(character);
  const found = (await own()).find((each) => each.name === wanted);
  if (found !== undefined) return encodeURIComponent(`${found.name}:${found.id}`);
  const message = `${name} is neither the name of an emoji, as thumbsup, eyes and tada are, nor of one of this server's own.`;
  throw new PlatformError("invalid", message);
}

/** Whether a text is one emoji: flags and keycaps among them, and those written without the mark that colours them. */
function isCharacter(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v.test(text);
}

/** What people call an emoji: its GitHub name, the server's own name, or the character where it has none. */
export async function emojiName(emoji: { id: string | null; name: string | null }): Promise<string> {
  if (emoji.id !== null) return emoji.name ?? emoji.id;
  const { emojiToName } = await import("gemoji");
  const character = emoji.name ?? "";
  return emojiToName[character] ?? emojiToName[character.replace(/\ufe0f/g, "")] ?? character;
}
