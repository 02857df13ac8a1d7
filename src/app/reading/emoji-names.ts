/** A name as Slack's reactions take it; those of a workspace's own emoji may have letters of any script. */
const emojiName = /^[\p{Ll}\p{Lo}\p{N}_+'-]+$/u;

/** What is said of an emoji beside what it is: its skin tone, and that it is a picture. */
const variants = /::skin-tone-\d|[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

/**
 * The names under which platforms may know an emoji, given as its name or as the character itself; the likeliest first. Most of Slack's names
 * are GitHub's, which people and models know; others are those of Unicode (`thinking_face`). Empty for what is no emoji.
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
