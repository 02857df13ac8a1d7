import { splitWords, type Word } from "./words.ts";

interface Clause {
  words: Word[];
  text: string;
  /** How much it counts: a contrast takes from one side and gives to the other (factors of VADER, Hutto & Gilbert 2014). */
  weight: number;
}

export interface SentenceParts {
  clauses: Clause[];
  /** The turn the sentence takes, for people. */
  contrast?: string;
}

const heavier = 1.5;
const lighter = 0.5;

/** What follows these outweighs what came before. */
const turning = new Set(["but", "however", "nevertheless", "nonetheless", "except", "yet"]);
/** What these introduce is granted, and outweighed by the rest of the sentence. */
const granting = new Set(["although", "though", "despite", "albeit", "while", "whereas"]);

/** Cuts a sentence where it turns. A turn needs words on both sides. */
export function splitClauses(sentence: string, language: string): SentenceParts {
  const words = splitWords(sentence, language);
  const whole = { clauses: [{ words, text: sentence, weight: 1 }] };
  if (language !== "en") return whole;
  return turned(words) ?? granted(words) ?? whole;
}

function turned(words: readonly Word[]): SentenceParts | undefined {
  const at = words.findLastIndex((word, index) => isTurn(words, word, index));
  if (at < 0 || at === words.length - 1) return undefined;
  const before = clause(words.slice(0, at), lighter);
  const after = clause(words.slice(at + 1), heavier);
  const contrast = `“${words[at]?.lower}” gives more weight to what follows: “${after.text}”`;
  return { clauses: [before, after], contrast };
}

function isTurn(words: readonly Word[], word: Word, index: number): boolean {
  if (index === 0 || !turning.has(word.lower)) return false;
  const previous = words[index - 1]?.lower ?? "";
  if (word.lower === "but") return !["nothing", "anything", "all", "everything", "none"].includes(previous);
  // `not yet`, `is yet to come`: only at a pause is it a turn.
  if (word.lower === "yet") return /[,;–—]/.test(word.before) && words[index + 1]?.lower !== "to";
  return true;
}

function granted(words: readonly Word[]): SentenceParts | undefined {
  const at = words.findIndex((word, index) => isGrant(words, word, index));
  if (at < 0) return undefined;
  const [concession, rest] = at > 0 ? [words.slice(at), words.slice(0, at)] : cutAtComma(words);
  if (concession.length < 2 || rest.length === 0) return undefined;
  const granting = clause(concession, lighter);
  const main = clause(rest, heavier);
  const contrast = `“${words[at]?.lower}” grants one side; more weight has: “${main.text}”`;
  return { clauses: at > 0 ? [main, granting] : [granting, main], contrast };
}

/** `while` and `whereas` set apart only at a pause or at the beginning. */
function isGrant(words: readonly Word[], word: Word, index: number): boolean {
  if (!granting.has(word.lower)) return false;
  if (word.lower === "while" || word.lower === "whereas") return index === 0 || /[,;]/.test(word.before);
  return !(
    word.lower === "though" &&
    (index === words.length - 1 || ["as", "even"].includes(words[index - 2]?.lower ?? ""))
  );
}

function cutAtComma(words: readonly Word[]): [Word[], Word[]] {
  const comma = words.findIndex((word, index) => index > 1 && /[,;]/.test(word.before));
  return comma < 0 ? [[...words], []] : [words.slice(0, comma), words.slice(comma)];
}

function clause(words: readonly Word[], weight: number): Clause {
  const text = words.map((word, index) => (index === 0 ? word.text : `${word.before}${word.text}`)).join("");
  return { words: [...words], text, weight };
}
