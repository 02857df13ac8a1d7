/** The role of a text: run, read, shown within what is read (a block of code in a guide), or data for either. */
export type TextRole = "code" | "prose" | "sample" | "data";

export interface ReviewedLine {
  /** From 1. */
  number: number;
  /** That of its file, except for the blocks and the frontmatter (data) of a guide. */
  role: TextRole;
  /** Without invisible characters and in one Unicode form, at most 4,000 characters. */
  text: string;
}

const maxLine = 4_000;
const overlap = 300;

/** The lines of a text as a shell reads them. Long ones come in overlapping pieces. */
export function linesOf(raw: string, role: TextRole): ReviewedLine[] {
  const lines: ReviewedLine[] = [];
  let joined: ReviewedLine | undefined;
  const take = (line: ReviewedLine) => {
    for (let at = 0; at === 0 || at < line.text.length - overlap; at += maxLine - overlap) {
      lines.push({ ...line, text: line.text.slice(at, at + maxLine) });
    }
  };
  const roleAt = role === "prose" ? guideRoles(raw.startsWith("---")) : () => role;
  raw.split(/\r\n|\r|\n/).forEach((written, at) => {
    const text = plainText(written);
    const here = roleAt(text, at);
    const goesOn =
      /^\s*\|[^|]*$/.test(text) || (joined !== undefined && isOpen(joined.text) && joined.role === here);
    if (joined !== undefined && goesOn && joined.text.length < maxLine) {
      joined = { ...joined, text: `${joined.text.replace(/\\$/, "")} ${text.trim()}` };
      return;
    }
    if (joined !== undefined) take(joined);
    joined = { number: at + 1, role: here, text };
  });
  if (joined !== undefined) take(joined);
  return lines;
}

/** The roles of the lines of Markdown, asked for in their order: its frontmatter is data, its blocks of code are samples. */
function guideRoles(hasFrontmatter: boolean): (text: string, at: number) => TextRole {
  let isFrontmatter = hasFrontmatter;
  let fence: string | undefined;
  return (text, at) => {
    const isData = isFrontmatter;
    if (isFrontmatter && at > 0 && /^---\s*$/.test(text)) isFrontmatter = false;
    if (isData) return "data";
    const mark = /^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s?)?(`{3,}|~{3,})/.exec(text)?.[1];
    if (mark === undefined) return fence === undefined ? "prose" : "sample";
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return "sample";
  };
}

/** Whether a shell continues in the next line. A table row also ends with a bar, but begins with one too. */
function isOpen(line: string): boolean {
  return /\\$|&&\s*$/.test(line) || (/\|\s*$/.test(line) && !/^\s*\|/.test(line));
}

/** Text as a reader sees it, so that an invisible character within a word hides nothing. */
function plainText(text: string): string {
  return /^[\x20-\x7e\t]*$/.test(text)
    ? text
    : text.normalize("NFKC").replace(/[\p{Cf}\p{Variation_Selector}]/gu, "");
}
