/** Untrusted text on one line, without invisible characters, cut to a maximum of characters. */
export function oneLine(text: string, maxLength: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), maxLength);
}

/** Untrusted text without links, pictures or mentions: an address in it is visible as it is. */
export function withoutLinks(text: string): string {
  return text.replace(/[[\]<>]/g, "\\$&");
}

/** Untrusted text as a Markdown quotation without links: every line is marked as somebody else's. */
export function quoted(text: string, maxLength: number): string {
  const lines = cut(text.replace(/[^\P{C}\n]/gu, ""), maxLength)
    .trim()
    .split(/(?<!\s)\s*\n\s*/);
  return lines.map((line) => `> ${withoutLinks(line)}`).join("\n");
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
