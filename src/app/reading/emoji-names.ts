/** A name that Slack's reactions take; names of custom emoji may have letters of any script. */
const emojiName = /^[\p{Ll}\p{Lo}\p{N}_+'-]+$/u;

/** Modifiers of an emoji: the skin tone, and the emoji presentation selector. */
const variants = /::skin-tone-\d|[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

/**
 * The names under which platforms may know an emoji, which is given as a name or a character; the likeliest first. Most of Slack's names
 * are GitHub's; others come from Unicode (`thinking_face`). Empty for a text that is not an emoji.
 */
export async function emojiNames(emoji: string): Promise<string[]> {
  const { gemoji } = await import("gemoji");
  const plain = emoji.replaceAll(variants, "").toLowerCase();
  const known = gemoji.find(
    ({ emoji: character, names }) => character.replaceAll(variants, "") === plain || names.includes(plain),
  );
  const own = emojiName.test(plain) && /[\p{L}\p{N}]/u.test(plain) ? [plain] : [];
  if (known === undefined) return own;
  return [...new Set([...own, ...known.names, known.description.toLowerCase().replaceAll(/[\s-]+/g, "_")])];
}
