import { withoutInvisible } from "../base/text/invisible-text.ts";
/** The role of a text: run, read, not shown to readers, shown within what is read (a block of code in a guide), or data for either. */
export type TextRole = "code" | "prose" | "comment" | "sample" | "data";

export interface ReviewedLine {
  /** From 1. */
  number: number;
  /** That of its file, except for the blocks, comments and frontmatter (data) of a guide. */
  role: TextRole;
  /** Without invisible characters and in one Unicode form, at most 4,000 characters. */
  text: string;
}

const [maxLine, overlap] = [4_000, 300];

/** The lines of a text as a shell reads them. Long ones come in overlapping pieces. */
export function linesOf(raw: string, role: TextRole): ReviewedLine[] {
  const joined: ReviewedLine[] = [];
  const partsOf = role === "prose" ? guideParts(raw.startsWith("---")) : (text: string) => [{ role, text }];
  for (const [at, written] of plainText(raw)
    .split(/\r\n|\r|\n/)
    .entries()) {
    for (const part of partsOf(written, at)) {
      const last = joined.at(-1);
      const goesOn = last?.role === part.role && isOpen(last.text);
      if (last !== undefined && (goesOn || /^\s*\|[^|]*$/.test(part.text)) && last.text.length < maxLine)
        last.text = `${last.text.replace(/\\$/, "")} ${part.text.trim()}`;
      else joined.push({ number: at + 1, role: part.role, text: part.text });
    }
  }
  if (joined.every(({ text }) => text.length <= maxLine)) return joined;
  return joined.flatMap((line) => {
    const pieces = Math.max(1, Math.ceil((line.text.length - overlap) / (maxLine - overlap)));
    const starts = Array.from({ length: pieces }, (_, piece) => piece * (maxLine - overlap));
    return starts.map((start) => ({ ...line, text: line.text.slice(start, start + maxLine) }));
  });
}

const fenceMark = /^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s?)?(`{3,}|~{3,})/;

/** The parts of the lines of Markdown, asked for in their order: its frontmatter is data, its blocks of code are samples. */
function guideParts(hasFrontmatter: boolean): (text: string, at: number) => Omit<ReviewedLine, "number">[] {
  let [isFrontmatter, isComment] = [hasFrontmatter, false];
  let fence: string | undefined;
  return (text, at) => {
    if (isFrontmatter) {
      isFrontmatter = at === 0 || !/^---\s*$/.test(text);
      return [{ role: "data", text }];
    }
    const mark = fenceMark.exec(text)?.[1];
    if (!isComment && (mark !== undefined || fence !== undefined)) {
      const isEnd = fence !== undefined && mark?.startsWith(fence);
      fence = isEnd ? undefined : (fence ?? mark);
      return [{ role: "sample", text }];
    }
    if (!isComment && !text.includes("<!--")) return [{ role: "prose", text }];
    const parts = text.split(/<!--|-->/).map((part, index): Omit<ReviewedLine, "number"> => {
      if (index > 0) isComment = !isComment;
      return { role: isComment ? "comment" : "prose", text: part };
    });
    return parts.filter((part) => parts.length === 1 || part.text.trim() !== "");
  };
}

/** Whether a shell continues in the next line. A table row also ends with a bar, but begins with one too. */
function isOpen(line: string): boolean {
  const end = line.trimEnd().slice(-2);
  return line.endsWith("\\") || end === "&&" || (end.endsWith("|") && !/^\s*\|/.test(line));
}

/** Text as a reader sees it, so that an invisible character within a word hides nothing. */
function plainText(text: string): string {
  return /^[\x20-\x7e\t\r\n]*$/.test(text) ? text : withoutInvisible(text.normalize("NFKC"));
}
