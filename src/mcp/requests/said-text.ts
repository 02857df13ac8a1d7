/** Untrusted text on one line, without invisible characters, cut to a maximum of characters. */
export function oneLine(text: string, longest: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), longest);
}

/** Untrusted text without links, pictures or mentions: an address in it is visible as it is. */
export function withoutLinks(text: string): string {
  return text.replace(/[[\]<>]/g, "\\$&");
}

/** Untrusted text as a Markdown quotation without links: every line is marked as somebody else's. */
export function quoted(text: string, longest: number): string {
  const lines = cut(text.replace(/[^\P{C}\n]/gu, ""), longest)
    .trim()
    .split(/(?<!\s)\s*\n\s*/);
  return lines.map((line) => `> ${withoutLinks(line)}`).join("\n");
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
