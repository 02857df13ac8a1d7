import { stripVTControlCharacters } from "node:util";

/** Characters that control a terminal: C0 and C1 controls except tab and newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that change the text direction, and could make text look like other text. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that is safe to write to a terminal. Text of models, tools and web pages may contain escape sequences that move the
 * cursor, set the clipboard or fake a prompt.
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
