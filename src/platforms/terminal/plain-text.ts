import { stripVTControlCharacters } from "node:util";

/** Everything a terminal acts on instead of showing it: C0 and C1 controls except tab and newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that turn the direction of what follows, so that text reads differently from what it says. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text as it can safely be written to a terminal. Models, tools and web pages write what they like: escape sequences could
 * move the cursor, set the clipboard or fake a prompt.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n"))
    .replace(controls, "")
    .replace(directions, "");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}
