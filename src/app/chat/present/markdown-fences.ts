/** The line that opens a fenced code block: the text before the fence, the fence, and the info string. */
interface Fence {
  before: string;
  fence: string;
  info: string;
}

/** Lines (each with its newline) that are one code block, or a single line outside of one. */
export interface LineGroup {
  lines: string[];
  fence: Fence | undefined;
  /** Whether the code block has its closing line. */
  closed: boolean;
}

const opening = /^((?:[ \t]|>|[-*+] |\d{1,9}[.)] )*)(`{3,}|~{3,})([^\n]*)\n?$/;

/** Splits Markdown into lines and fenced code blocks, including those in lists and quotes. Joined, they are the original text. */
export function groupLines(markdown: string): LineGroup[] {
  const groups: LineGroup[] = [];
  let open: LineGroup | undefined;
  for (const line of markdown.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (open?.fence !== undefined) {
      open.lines.push(line);
      if (!closes(line, open.fence)) continue;
      open.closed = true;
      open = undefined;
      continue;
    }
    const fence = fenceOf(line);
    const group: LineGroup = { lines: [line], fence, closed: false };
    groups.push(group);
    if (fence !== undefined) open = group;
  }
  return groups;
}

function fenceOf(line: string): Fence | undefined {
  const [, before, fence, info] = opening.exec(line) ?? [];
  if (before === undefined || fence === undefined || info === undefined) return undefined;
  return fence.startsWith("`") && info.includes("`") ? undefined : { before, fence, info };
}

function closes(line: string, { before, fence }: Fence): boolean {
  const bare = line.replace(before.includes(">") ? /^[ \t>]*/ : /^[ \t]*/, "").trimEnd();
  return bare.length >= fence.length && bare === fence.charAt(0).repeat(bare.length);
}

/** How a code block is closed and opened again in the next part; list markers are not repeated. */
export function fenceLines({ before, fence, info }: Fence): { open: string; close: string } {
  const indentation = before.replace(/[^>\s]/g, " ");
  return { open: `${indentation}${fence}${info}\n`, close: `${indentation}${fence}` };
}

/** The text with its last code block closed if open, for Markdown that is still being written. */
export function closeFence(markdown: string): string {
  const last = groupLines(markdown).at(-1);
  if (last?.fence === undefined || last.closed) return markdown;
  return `${markdown}${markdown.endsWith("\n") ? "" : "\n"}${fenceLines(last.fence).close}`;
}
