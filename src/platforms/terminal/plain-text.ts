import { stripVTControlCharacters } from "node:util";
import { withoutInvisible } from "../../base/text/invisible-text.ts";

/**
 * Text that is safe to write to a terminal. Text of models, tools and web pages may contain escape sequences that move the
 * cursor, set the clipboard or fake a prompt.
 */
export function plainText(text: string): string {
  return withoutInvisible(stripVTControlCharacters(text.replaceAll("\r\n", "\n"))).replaceAll("\r", "");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}
