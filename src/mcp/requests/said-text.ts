/** Untrusted text on one line, without characters that nobody sees, at most so many characters. */
export function oneLine(text: string, longest: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), longest);
}

/** Untrusted text as a quotation in Markdown: every line says that somebody else said it. */
export function quoted(text: string, longest: number): string {
  const lines = cut(text.replace(/[^\P{C}\n]/gu, ""), longest)
    .trim()
    .split(/\s*\n\s*/);
  return lines.map((line) => `> ${line}`).join("\n");
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
