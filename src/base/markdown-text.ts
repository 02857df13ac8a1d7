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
  return text.length <= longest
    ? text
    : `${text
        .slice(0, longest - 1)
        .toWellFormed()
        .replace(/�$/, "")
        .trimEnd()}…`;
}
