/** Text that is shown as it is where Markdown is expected. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
}

/** The beginning of a text in one line of at most `longest` characters, none of them half. */
export function oneLine(text: string, longest: number): string {
  return cutText(text.replace(/\s+/g, " ").trim(), longest);
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
