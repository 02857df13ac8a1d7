import type { Json } from "./json.ts";

/** Characters that show nothing, or turn the direction of what follows: text with them reads differently from what it says. */
const deceptive =
  /\u034f|[\u180b-\u180f]|[\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/** A value as indented JSON in which nothing hides, for people who decide about it. Escapes stand for what cannot be seen. */
export function exactJson(value: Json): string {
  return JSON.stringify(value, null, 2).replace(deceptive, escaped);
}

/** Characters beyond the first plane are two units in JSON. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
