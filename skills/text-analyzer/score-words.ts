import type { Lexicon } from "./valence.ts";
import type { Word } from "./words.ts";

/** A word with feeling; `text` includes what turns or strengthens it: `not good`, `very good`. */
export interface ScoredWord {
  text: string;
  value: number;
}

/** Factor of a negated word: `not terrible` is not yet good (VADER, Hutto & Gilbert 2014). */
const negated = -0.74;
/** How many words before a word a negation still reaches it. */
const negationReach = 3;

const negations = new Set(
  `not no never neither nor without nothing nobody none hardly barely scarcely cannot can't won't don't doesn't didn't
  isn't aren't wasn't weren't couldn't shouldn't wouldn't hasn't haven't hadn't ain't lacks lacking`.split(
    /\s+/,
  ),
);
const stronger = new Set(
  `very really extremely absolutely so too totally completely incredibly highly super deeply truly utterly remarkably
  especially exceptionally insanely awfully terribly pretty fucking damn bloody most amazingly`.split(/\s+/),
);
const weaker = new Set("slightly somewhat fairly rather partly mildly barely almost little bit".split(" "));

/** The words of one English clause that carry feeling, each with its value in place. */
export function scoreWords(words: readonly Word[], lexicon: Lexicon, shouting: boolean): ScoredWord[] {
  const scored: ScoredWord[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const found = isDegree(words, index, lexicon) ? undefined : lexicon.find(words, index);
    if (found === undefined) continue;
    const text = words.slice(index, index + found.length);
    const negation = negationBefore(words, index);
    const degree = degreeBefore(words, index);
    const loud = !shouting && text.some((word) => /^\p{Lu}{3,}$/u.test(word.text)) ? 1.2 : 1;
    const value = found.value * degree.factor * loud * (negation === undefined ? 1 : negated);
    const shown = [negation, degree.word, ...text.map((word) => word.lower)].filter(
      (part) => part !== undefined,
    );
    scored.push({ text: [...new Set(shown)].join(" "), value });
    index += found.length - 1;
  }
  return scored;
}

/** `pretty bad`: the first word only strengthens the second. */
function isDegree(words: readonly Word[], index: number, lexicon: Lexicon): boolean {
  const word = words[index]?.lower ?? "";
  if (!stronger.has(word) && !weaker.has(word)) return false;
  const next = words[index + 1];
  return next !== undefined && next.before.trim() === "" && lexicon.find(words, index + 1) !== undefined;
}

/** The negation that reaches the word: near, and no pause between. `not only` negates nothing. */
function negationBefore(words: readonly Word[], index: number): string | undefined {
  for (let at = index - 1; at >= Math.max(0, index - negationReach); at -= 1) {
    if (/[,;:.!?()–—]/.test(words[at + 1]?.before ?? "")) return undefined;
    const word = words[at]?.lower ?? "";
    if (negations.has(word)) return words[at + 1]?.lower === "only" ? undefined : word;
  }
  return undefined;
}

function degreeBefore(words: readonly Word[], index: number): { factor: number; word?: string } {
  const word = words[index - 1]?.lower ?? "";
  const near = words[index]?.before.trim() === "";
  if (near && stronger.has(word)) return { factor: 1.3, word };
  if (near && weaker.has(word)) return { factor: 0.6, word };
  return { factor: 1 };
}
