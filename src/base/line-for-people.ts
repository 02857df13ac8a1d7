import { beginningOf, oneLine } from "./markdown-text.ts";

/** Sentences that tell a model when to act. */
const instruction =
  /^(please )?(use|invoke|call|activate|trigger|prefer|choose|only|always|never|do not|don't|not for|when)\b/i;

/** What such a sentence says before the task itself: “Use this skill when the user wants to …”. */
const lead =
  /^(please )?(only )?(use|invoke|call|activate|trigger)( (this|the))?( (skill|tool|it))? (when(ever)?|if|for|to)( (the |a )?(user|person)s? (asks?|wants?|needs?)( you)?( to| for)?)?\s+/i;

/**
 * One line about something whose description was written for a model: its first sentence that is no instruction to the model, at most
 * `maxLength` UTF-16 units, cut at a word.
 */
export function lineForPeople(description: string, maxLength: number): string {
  const text = oneLine(description, description.length);
  const sentences = text.split(/(?<=[.!?])\s(?=\S)/);
  const told = sentences.find((each) => !instruction.test(each)) ?? text.replace(lead, "");
  const line = told.charAt(0).toUpperCase() + told.slice(1);
  return cutAtWord(line, maxLength);
}

/** The beginning of a text, at most `maxLength` UTF-16 units including the ellipsis, that ends with a whole word. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = beginningOf(text, maxLength - 1);
  const words = text.charAt(kept.length) === " " ? kept : kept.replace(/\s+\S*$/, "");
  // A text without spaces, as Chinese and Japanese are written, is cut between characters.
  return `${trimEndOf(words.length < maxLength / 2 ? kept : words, ",;:–—-")}…`;
}

/** The text without white space and these characters at its end. */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && (text.charAt(end - 1).trim() === "" || signs.includes(text.charAt(end - 1)))) end -= 1;
  return text.slice(0, end);
}
