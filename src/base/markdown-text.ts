/** Text that is shown as it is where Markdown is expected. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
}

/** Control characters, and those that turn the direction of what is written around them. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The beginning of a text in one line of at most `longest` characters, none of them half. What turns its direction is left out. */
export function oneLine(text: string, longest: number): string {
  return cutText(text.replace(/\s+/g, " ").replace(controls, "").trim(), longest);
}

/** The beginning of a text, at most `longest` characters (UTF-16 units) with the ellipsis. */
export function cutText(text: string, longest: number): string {
  return text.length <= longest ? text : `${beginningOf(text, Math.max(0, longest - 1)).trimEnd()}…`;
}

let segmenter: Intl.Segmenter | undefined;

/** The characters that people see. Making the segmenter takes 12 ms, so nobody pays for it at the start. */
export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Longest character that is kept whole: families of emoji have up to 25 UTF-16 units. */
const maxCharacter = 64;

/** The beginning of a text, at most `longest` UTF-16 units, that ends with a character people see whole. */
export function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const from = Math.max(0, longest - maxCharacter);
  const around = text.slice(from, longest + maxCharacter);
  const at = charactersOf(around).containing(longest - from)?.index ?? 0;
  const end = at === 0 && from > 0 ? longest : from + at;
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "");
}
