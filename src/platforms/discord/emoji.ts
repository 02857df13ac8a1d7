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
  if (/\p{Extended_Pictographic}/u.test(name)) return encodeURIComponent(name);
  const character = nameToEmoji[name];
  if (character !== undefined) return encodeURIComponent(character);
  const found = (await own()).find((each) => each.name === name);
  if (found !== undefined) return encodeURIComponent(`${found.name}:${found.id}`);
  throw new PlatformError("invalid", `${name} is not the name of an emoji: thumbsup, eyes, tada are.`);
}

/** What people call an emoji: its GitHub name, the server's own name, or the character where it has none. */
export async function emojiName(emoji: { id: string | null; name: string | null }): Promise<string> {
  if (emoji.id !== null) return emoji.name ?? emoji.id;
  const { emojiToName } = await import("gemoji");
  const character = emoji.name ?? "";
  return emojiToName[character] ?? emojiToName[character.replace(/\ufe0f/g, "")] ?? character;
}
