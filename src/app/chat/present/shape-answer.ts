import type { Tokens } from "marked";
import { answerRoom, type OutgoingFile, type PlatformLimits } from "../../../core/ports/chat-platform.ts";
import { readBlocks } from "./read-markdown.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** An answer as a platform can show it: the Markdown of its messages, in order, and the attachments. */
export interface ShapedAnswer {
  parts: [string, ...string[]];
  files: OutgoingFile[];
}

/** Maximum messages of an answer; a longer one is cut and attached whole. */
const maxParts = 4;

/** Number of messages shown for an answer that is attached whole, and maximum shown while it is written. */
export const partsOfLongAnswer = 3;

/** Limits of tables: a larger one is shown in part or does not fit a message, and is attached whole. */
const maxRows = 15;
const shownRows = 10;
const maxTableWidth = 120;

/** The same limits in words, for a model that writes answers. */
export function shapingRules({ tables }: Pick<PlatformLimits, "tables">): string {
  const rows = tables?.rows ?? maxRows;
  return `Tables of more than ${rows} rows and very long answers are cut, and attached whole.`;
}

const cutNote = "\n\n*The answer goes on: all of it is in `answer.md`.*";
const cutWithoutFile =
  "\n\n*The answer goes on; it is too large to be attached here. The console has all of it.*";

/** Shapes an answer. `files` are attached in addition to the generated ones, which avoid their names. */
export function shapeAnswer(
  text: string,
  files: readonly OutgoingFile[],
  limits: PlatformLimits,
): ShapedAnswer {
  const { file_bytes } = limits;
  const limit = answerRoom(limits);
  const tables = withTablesAttached(text, new Set(files.map((file) => file.name)), limits);
  const attached = [...files, ...tables.files];
  const [first = text, ...rest] = splitMarkdown(tables.text, limit);
  if (rest.length < maxParts) return { parts: [first, ...rest], files: attached };
  const whole = textFile(
    freeName("answer.md", new Set(attached.map((file) => file.name))),
    "text/markdown",
    text,
  );
  const fits = whole.data.length <= file_bytes;
  const note = fits ? cutNote.replace("answer.md", whole.name) : cutWithoutFile;
  const [start = "", ...more] = splitMarkdown(tables.text, limit - note.length).slice(0, partsOfLongAnswer);
  const last = more.pop();
  return {
    parts: last === undefined ? [start + note] : [start, ...more, last + note],
    files: fits ? [...attached, whole] : attached,
  };
}

/** Large tables are cut to their first rows and attached as CSV. */
function withTablesAttached(text: string, taken: Set<string>, limits: PlatformLimits) {
  const files: OutgoingFile[] = [];
  const blocks = text.includes("|") ? readBlocks(text) : undefined;
  if (blocks === undefined) return { text, files };
  const shown = blocks.map((token) => {
    if (token.type !== "table") return token.raw;
    const table = token as Tokens.Table;
    const isLong = table.rows.length > maxRows;
    if (fits(table, limits.tables) || (!isLong && widthOf(table) <= maxTableWidth)) return token.raw;
    const file = textFile(freeName("table.csv", taken), "text/csv", tableCsv(table));
    if (file.data.length > limits.file_bytes) return token.raw;
    taken.add(file.name);
    files.push(file);
    if (!isLong) return `${token.raw.trimEnd()}\n\n*The table is attached too: \`${file.name}\`.*\n\n`;
    const rows = token.raw.split("\n").slice(0, shownRows + 2);
    return `${rows.join("\n")}\n\n*${shownRows} of ${table.rows.length} rows; the whole table is in \`${file.name}\`.*\n\n`;
  });
  return { text: files.length === 0 ? text : shown.join("").trimEnd(), files };
}

/** Whether people can page through a table of this size. */
function fits({ header, rows }: Tokens.Table, limits: PlatformLimits["tables"]): boolean {
  if (limits === undefined || rows.length > limits.rows || header.length > limits.columns) return false;
  const length = [header, ...rows].flat().reduce((sum, { text }) => sum + text.length, 0);
  return length <= limits.characters;
}

/** Characters of the widest row when columns are aligned. */
function widthOf({ header, rows }: Tokens.Table): number {
  const widths = header.map((cell, column) =>
    Math.max(cell.text.length, ...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  return widths.reduce((sum, width) => sum + width + 3, 1);
}

function textFile(name: string, media_type: string, text: string): OutgoingFile {
  return { name, media_type, data: new TextEncoder().encode(text) };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const dot = wanted.lastIndexOf(".");
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1)
    name = `${wanted.slice(0, dot)}-${count}${wanted.slice(dot)}`;
  return name;
}

/**
 * A Markdown table as CSV (RFC 4180: commas, quotes doubled, CRLF). Cells that a spreadsheet would read as a formula get a
 * leading apostrophe.
 */
function tableCsv({ header, rows }: Pick<Tokens.Table, "header" | "rows">): string {
  return [header, ...rows].map((row) => `${row.map((cell) => csvCell(cell.text)).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
