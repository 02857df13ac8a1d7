import { pattern } from "../pattern.ts";

/**
 * Characters that people do not see, by Unicode property: controls, formats, private use, half pairs, ignorables (joiners, selectors, tags,
 * fillers), separators of lines and paragraphs, and the Braille blank. The only such list: others are built from it.
 */
export const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]/v;

/** Runs of them, apart from line ends and tabs. */
const hiddenRuns = pattern("gv")`[${invisible}--[\n\t]]+`;
/** What the first of them in an emoji may be: a selector, a joiner or a tag. */
const inEmoji = /^(?:\ufe0f|\u200d|[\u{e0020}-\u{e007f}])/u;
/** The visible beginning of an emoji. */
const emojiStart = /\p{Emoji}\p{EMod}?$/u;
const emojiHere = /\p{RGI_Emoji}/vy;

/** The text with each run of invisible characters replaced, apart from those in emoji. Takes time proportional to the text. */
function replaceHidden(text: string, by: (run: string, at: number) => string): string {
  let emojiEnd = 0;
  return text.replace(hiddenRuns, (run: string, at: number) => {
    if (at >= emojiEnd && inEmoji.test(run)) emojiEnd = endOfEmoji(text, at);
    const kept = Math.min(run.length, Math.max(0, emojiEnd - at));
    return kept === run.length ? run : run.slice(0, kept) + by(run.slice(kept), at + kept);
  });
}

/** Where the emoji ends whose first invisible character is at this place; 0 if there is none. */
function endOfEmoji(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 4), at);
  const start = emojiStart.exec(before)?.index;
  if (start === undefined) return 0;
  emojiHere.lastIndex = at - before.length + start;
  return emojiHere.test(text) ? emojiHere.lastIndex : 0;
}

/** The text with each invisible character as the escape that JSON has for it, apart from those in emoji and, unless `all`, \n and \t. */
export function escapedInvisible(text: string, all = false): string {
  const escaped = replaceHidden(text, escapesOf);
  return all ? escaped.replace(/[\n\t]/g, escapesOf) : escaped;
}

/** Characters outside the Basic Multilingual Plane are two units in JSON. */
export function escapesOf(characters: string): string {
  const units = characters.split("");
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/** The text on one line: each run of invisible characters and white space is one space. Emoji stay whole. */
export function onOneLine(text: string): string {
  return replaceHidden(text, () => " ")
    .replace(/\s+/g, " ")
    .trim();
}

const allButLineEnds = /\P{White_Space}+/gu;
const otherLineEnds = /(?:(?!\r)\p{White_Space})+/gu;
/** Joiners: between letters of some scripts they change how these look. */
export const joiner = /\p{Join_Control}/v;
const joined = pattern("v")`^[^\p{ASCII}${joiner}]${joiner}[^\p{ASCII}${joiner}]`;

/**
 * The text without invisible characters, which can hide text from people. Emoji, \r, and joiners that people see the effect of stay; other
 * line ends become \n.
 */
export function withoutInvisible(text: string): string {
  return replaceHidden(text, (run, at) =>
    joined.test(text.slice(at - 1, at + 2))
      ? run
      : run.replace(allButLineEnds, "").replace(otherLineEnds, "\n"),
  );
}
