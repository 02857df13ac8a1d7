import type { Json } from "./json.ts";

/** Characters that show nothing, or turn the direction of what follows: text with them reads differently from what it says. */
const deceptive = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A value as indented JSON in which nothing hides, for people who decide about it. Escapes stand for what cannot be seen. */
export function exactJson(value: Json): string {
  return JSON.stringify(value, null, 2).replace(
    deceptive,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
