import { PlatformError } from "../../../core/ports/chat-platform.ts";

/** A custom emoji of a server. */
export interface OwnEmoji {
  id: string;
  name: string;
}

/**
 * An emoji as it appears in Discord's paths: the character itself, or `name:id` for a custom one. Names are GitHub's
 * (`thumbsup`), which people and models know. @throws PlatformError for an unknown name
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

/** Whether a text is one emoji, including flags, keycaps, and characters without the variation selector for colour. */
function isCharacter(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v.test(text);
}

/** The emoji of a reaction: the name of a custom one, otherwise the character without a skin tone. */
export function reactedEmoji({ id, name }: { id: string | null; name: string | null }): string {
  if (id !== null) return name ?? id;
  return (name ?? "").replace(/\p{Emoji_Modifier}/gu, "");
}
