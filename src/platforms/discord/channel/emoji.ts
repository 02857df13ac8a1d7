import { PlatformError } from "../../../core/ports/chat-platform.ts";

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

/** An emoji of a reaction: the name of a server's own, else the character in its plain skin tone. */
export function reactedEmoji({ id, name }: { id: string | null; name: string | null }): string {
  if (id !== null) return name ?? id;
  return (name ?? "").replace(/\p{Emoji_Modifier}/gu, "");
}
