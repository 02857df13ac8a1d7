/** Untrusted text on one line, without characters that nobody sees, at most so many characters. */
export function oneLine(text: string, longest: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), longest);
}

/** Untrusted text in which no link can hide where it leads, nor a picture or a mention: an address in it is seen as it is. */
export function withoutLinks(text: string): string {
  return text.replace(/[[\]<>]/g, "\\$&");
}

/** Untrusted text as a quotation in Markdown, without links: every line says that somebody else said it. */
export function quoted(text: string, longest: number): string {
  const lines = cut(text.replace(/[^\P{C}\n]/gu, ""), longest)
    .trim()
    .split(/(?<!\s)\s*\n\s*/);
  return lines.map((line) => `> ${withoutLinks(line)}`).join("\n");
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
