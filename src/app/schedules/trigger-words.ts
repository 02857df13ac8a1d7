/**
 * Patterns for the messages that a trigger waits for: words, and phrases in quotes, all of which have to occur. `*` stands for the rest of
 * a word. Matching takes time proportional to the text, so no pattern can block the bot.
 */

/** Characters of a message that are searched. */
const lookedAt = 8_000;

const quoted = /["“”„«»]([^"“”„«»]+)["“”„«»]|(\S+)/g;

/** The parts of a pattern, each a sequence of words. */
function partsOf(pattern: string): string[][] {
  const parts = [...pattern.matchAll(quoted)].map(([, phrase, word]) => wordsOf(phrase ?? word ?? "", true));
  return parts.filter((words) => words.length > 0);
}

/** What is wrong with a pattern, in words for people; undefined if it is valid. */
export function wordsProblem(pattern: string): string | undefined {
  const parts = partsOf(pattern);
  const isAnything = parts.flat().every((word) => word.replaceAll("*", "").length < 2);
  if (parts.length === 0 || isAnything)
    return 'Name words that have to occur, at least one of two letters: `deploy failed`, `"deploy failed"` or `deploy*`.';
  return parts.length > 10 ? "At most ten words or phrases can be looked for." : undefined;
}

/** Whether a message contains all words and phrases of a pattern, regardless of case and accents. */
export function hasWords(pattern: string, text: string): boolean {
  const words = wordsOf(text.slice(0, lookedAt), false);
  const parts = partsOf(pattern);
  return parts.length > 0 && parts.every((part) => occurs(part, words));
}

function occurs(part: readonly string[], words: readonly string[]): boolean {
  return words.some((_, at) => part.every((wanted, offset) => fits(wanted, words[at + offset])));
}

/** `deploy*` matches a beginning, `*ment` an ending, `*ploy*` any part of the word. */
function fits(wanted: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  const core = wanted.replaceAll("*", "");
  const [open, close] = [wanted.startsWith("*"), wanted.endsWith("*")];
  if (open && close) return word.includes(core);
  if (close) return word.startsWith(core);
  return open ? word.endsWith(core) : word === core;
}

function wordsOf(text: string, stars: boolean): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(stars ? /[\p{L}\p{N}*]+/gu : /[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a trigger waits for this reaction. `emoji` are names and characters separated by spaces. */
export function isEmojiOf(emoji: string, reaction: string): boolean {
  const wanted = emoji.split(/\s+/).map(plainEmoji);
  return plainEmoji(reaction) !== "" && wanted.includes(plainEmoji(reaction));
}

/** Without colons, skin tones (`::skin-tone-2`) and variation selectors. */
function plainEmoji(text: string): string {
  return text
    .toLowerCase()
    .replace(/::skin-tone-\d/, "")
    .replace(/[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]/gu, "")
    .replaceAll(":", "");
}
