import { z } from "zod";
import { formatBytes } from "../../base/amounts.ts";
import {
  type FileContent,
  fileNameOf,
  imageType,
  mediaTypeOf,
  pageInstead,
  readContent,
  whyUnreadable,
} from "../../base/file-kind.ts";
import type { Usage } from "../log/usage.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { FileReference } from "../values/inbound.ts";
import type { OpenedFile } from "./working-folder.ts";

/** Maximum columns shown. */
const maxColumns = 50;
/** Maximum characters shown of a cell. */
const maxCell = 80;
/** Maximum characters shown of a column name. */
const maxName = 60;

/**
 * A table for a model: its columns, the number of rows, what code has to know of it, and the first rows as Markdown. Columns above
 * `maxColumns` are only counted, and long cells are cut.
 */
export function tableText({ name, columns, rows, first, notes = [] }: Table): string {
  const width = Math.max(columns.length, ...first.map((row) => row.length));
  const shown = Array.from({ length: Math.min(width, maxColumns) }, (_, at) => columns[at] ?? "");
  const hidden = width - shown.length;
  const more = hidden === 0 ? "" : ` and ${number(hidden)} more`;
  const lines = [
    ...(name === undefined ? [] : [`sheet: ${cell(name, maxName)}`]),
    `columns: ${shown.map(columnName).join(", ")}${more}`,
    ...notes,
    countLine(rows, first.length),
  ];
  if (first.length > 0) lines.push("", ...markdown(shown, first));
  return lines.join("\n");
}

/** Blanks around a name are part of it, for code. */
function columnName(name: string): string {
  const line = cell(name, maxName);
  return name === name.trim()
    ? line
    : `"${name.startsWith(" ") ? " " : ""}${line}${name.endsWith(" ") ? " " : ""}"`;
}

function countLine(rows: number, shown: number): string {
  const count = `${number(rows)} ${rows === 1 ? "row" : "rows"}`;
  if (shown === 0) return count;
  return shown < rows ? `${count}; the first ${shown}:` : `${count}:`;
}

function markdown(columns: readonly string[], rows: Table["first"]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => cell(column, maxName))),
    `|${" --- |".repeat(columns.length)}`,
    ...rows.map((row) => line(columns.map((_, at) => cell(row[at] ?? "", maxCell)))),
  ];
}

/** The text on one line, escaped for a cell of a Markdown table. */
function cell(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, 4 * maxCharacters)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const kept =
    characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join("")}…`;
  return kept.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

const number = (value: number) => value.toLocaleString("en-US");

/** What `tableText` leaves out. */
function hiddenIn({ name, columns, rows, first }: Table): string[] {
  const sheet = name === undefined ? "" : ` of ${cell(name, maxName)}`;
  const width = Math.max(columns.length, ...first.map((row) => row.length));
  const isLong = (text: string) => cell(text, maxCell) !== cell(text, text.length);
  return [
    ...(first.length < rows ? [`rows after the first ${first.length} of ${number(rows)}${sheet}`] : []),
    ...(width > maxColumns ? [`columns ${maxColumns + 1} to ${number(width)}${sheet}`] : []),
    ...([columns, ...first].some((row) => row.some(isLong)) ? [`ends of long cells${sheet}`] : []),
  ];
}

/** What was not text in the encoding of a file, by the signs that stand in its place. */
export function undecodedIn(text: string): string[] {
  return /[\ufffd\p{Co}]/u.test(text) ? ["characters that cannot be decoded"] : [];
}

/** Extracts text from files that are not plain text. */
export interface DocumentReader {
  /**
   * Name of the format of a readable file ("PDF", "Word document"), from its first bytes (512 are enough) and its name; from the name alone
   * if `head` is empty. Undefined for any other file, including plain text and tables in text.
   */
  formatOf(name: string, head: Uint8Array): string | undefined;
  /**
   * The text of a document. An unreadable document is reported as a `problem`.
   * @throws the signal's reason, and nothing else
   */
  read(file: DocumentFile, signal: AbortSignal): Promise<DocumentText>;
  /**
   * The columns, the number of rows and the first rows of a table in text, and how a program reads it. Cells are separated by comma,
   * semicolon, tab or bar. The file may have any size.
   * @throws the signal's reason, and nothing else
   */
  table(file: DocumentFile, signal: AbortSignal): Promise<TableText>;
}

/** A file to read. Reading leaves it open and its position unchanged; the caller closes it afterwards. */
export interface DocumentFile {
  name: string;
  /** A regular file that this process has open for reading. */
  descriptor: number;
}

const tableSchema = z.object({
  /** Name of the sheet. */
  name: z.string().optional(),
  /** The cells of the row that names the columns; their numbers, from 0, in a table in text that has no such row. */
  columns: z.array(z.string()).readonly(),
  /** Number of rows below it that are not empty. */
  rows: z.number(),
  /** The first rows, at most 20; fewer if they are very long. Long cells are cut. */
  first: z.array(z.array(z.string()).readonly()).readonly(),
  /** Lines for readers who write code: how a program reads a table in text. */
  notes: z.array(z.string()).readonly().optional(),
});

/** A table's shape and first rows. */
export type Table = z.infer<typeof tableSchema>;

/** `problem` tells people what is wrong with the file and what to send instead. */
const failureSchema = z.object({ ok: z.literal(false), problem: z.string() });

/** What the file has and the text lacks, as phrases: `pictures`, `pages without text: 2, 7`. Empty if the text is all of the file. */
const leftOutSchema = z.array(z.string()).readonly();

export const documentTextSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** As returned by `formatOf`. */
    format: z.string(),
    /** Pages and slides begin with a line `--- page 3 ---`, sheets and files in an archive with their names. */
    text: z.string(),
    /** For spreadsheets: one table for each sheet that is not empty. */
    tables: z.array(tableSchema).readonly().optional(),
    /** Number of pages of a PDF. */
    pages: z.number().optional(),
    left_out: leftOutSchema,
    /** How it was read, as sentences: its encoding was guessed, it has no text. */
    note: z.string().optional(),
  }),
  failureSchema,
]);

export type DocumentText = z.infer<typeof documentTextSchema>;

export const tableTextSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    table: tableSchema,
    left_out: leftOutSchema,
    /** The guessed encoding. */
    note: z.string().optional(),
  }),
  failureSchema,
]);

export type TableText = z.infer<typeof tableTextSchema>;

/** What has to be known of a text that was read from a file. */
export interface Remarks {
  left_out: readonly string[];
  /** How it was read. */
  note?: string | undefined;
}

/** Both remarks in words; undefined if there is nothing to say. */
export function remarksOf({ left_out, note }: Remarks): string | undefined {
  const missing = left_out.length === 0 ? undefined : `not in this text: ${left_out.join(", ")}`;
  return [note, missing].filter((each) => each !== undefined).join(" ") || undefined;
}

/** What a model is shown of a file first: its text, or its tables with their first rows; and what that lacks. */
export function shownText(content: Extract<ReadContent, Remarks>): {
  text: string;
  left_out: readonly string[];
} {
  const { left_out } = content;
  if (content.kind === "text") return { text: content.text, left_out };
  const tables = content.kind === "table" ? [content.table] : content.tables;
  if (content.kind === "document" && tables.length === 0) return { text: content.text, left_out };
  return { text: tables.map(tableText).join("\n\n"), left_out: [...left_out, ...tables.flatMap(hiddenIn)] };
}

/** The content of a file of a working folder, for a model. */
export type ReadContent =
  | ({ kind: "text"; text: string } & Remarks)
  /** A table in text. `text` has its lines, unless it is too large. */
  | ({ kind: "table"; table: Table; text: string | undefined } & Remarks)
  | ({ kind: "document"; format: string; text: string; tables: readonly Table[] } & Remarks)
  | { kind: "image"; media_type: ImageType; data: Uint8Array }
  | { kind: "unreadable"; problem: string };

type ImageType = Extract<FileContent, { kind: "image" }>["media_type"];

/** Maximum bytes of a file that is read as text. */
const maxText = 32_000_000;
/** Maximum bytes of a picture: Anthropic's limit is 5 MiB in base64, which is a third longer. */
const maxPicture = 3_932_160;
/** Bytes that the kind of a file is detected from. */
const headBytes = 4_096;
/** Maximum bytes of a table that is shown unchanged. */
const smallTable = 2_000;

/** Reads a file. Its first bytes decide the kind, whatever its name. @throws the signal's reason */
export async function readFileContent(
  file: OpenedFile,
  documents: DocumentReader,
  signal: AbortSignal,
): Promise<ReadContent> {
  const name = fileNameOf(file.path);
  const head = await file.read(0, headBytes);
  if (imageType(head) !== undefined) return await readPicture(file, name);
  const page = pageInstead({ name, media_type: mediaTypeOf(name) }, head);
  if (page !== undefined) return { kind: "unreadable", problem: page };
  if (documents.formatOf(name, head) !== undefined) {
    const read = await documents.read({ name, descriptor: file.descriptor }, signal);
    if (!read.ok) return { kind: "unreadable", problem: read.problem };
    const { format, text, tables = [], left_out, note } = read;
    return { kind: "document", format, text, tables, left_out, note };
  }
  const known = whyUnreadable(name, head);
  if (known !== undefined) return { kind: "unreadable", problem: known };
  const text = await readText(file, name);
  const isTable = /\.(csv|tsv|tab)$/i.test(name) && file.bytes > smallTable;
  if (!isTable || (text.kind === "unreadable" && file.bytes <= maxText)) return text;
  const read = await documents.table({ name, descriptor: file.descriptor }, signal);
  if (!read.ok) return text;
  const { table, left_out, note } = read;
  return { kind: "table", table, text: text.kind === "text" ? text.text : undefined, left_out, note };
}

type TextContent = Extract<ReadContent, { kind: "text" | "unreadable" }>;

async function readText(file: OpenedFile, name: string): Promise<TextContent> {
  if (file.bytes > maxText) {
    const problem = `it has ${formatBytes(file.bytes)}; texts of more than ${formatBytes(maxText)} are for code to read`;
    return { kind: "unreadable", problem };
  }
  const content = readContent(name, mediaTypeOf(name), await file.read(0, file.bytes));
  if (content.kind === "image") return { kind: "unreadable", problem: "it is a picture" };
  return content.kind === "text" ? { ...content, left_out: undecodedIn(content.text) } : content;
}

async function readPicture(file: OpenedFile, name: string): Promise<ReadContent> {
  if (file.bytes > maxPicture) {
    const problem = `pictures of more than ${formatBytes(maxPicture)} cannot be looked at; make it smaller`;
    return { kind: "unreadable", problem };
  }
  const data = await file.read(0, file.bytes);
  const content = readContent(name, mediaTypeOf(name), data);
  return content.kind === "image" ? { ...content, data } : { kind: "unreadable", problem: "it is damaged" };
}

/** A recording of speech. */
export interface Recording {
  name: string;
  media_type: string;
  data: Uint8Array;
  /** Its length according to the platform; undefined if unknown. */
  seconds: number | undefined;
}

/** The text of a recording. */
export interface Transcription {
  /** Empty when nobody speaks. */
  text: string;
  /** The length of the recording, if known. */
  seconds: number | undefined;
  /** `provider/model` that wrote it. */
  model: string;
  /** Without a cost if the price is not known. */
  usage: Usage;
}

/** A recording that could not be transcribed. The message gives people the reason; `detail` is for operators only. */
export class TranscriptionError extends ExpectedFailure<"not_configured" | "refused" | "failed"> {
  readonly detail: string | undefined;
  constructor(code: TranscriptionError["code"], message: string, detail?: string) {
    super(code, message);
    this.detail = detail;
  }
}

/** Turns speech into text. @throws TranscriptionError, or the signal's reason */
export type Transcriber = (recording: Recording, signal: AbortSignal) => Promise<Transcription>;

/** Transcriber of a bot that has none: fails with the reason. */
export function noTranscriber(reason: string): Transcriber {
  return () => Promise.reject(new TranscriptionError("not_configured", reason));
}

/** The media type of a recording; undefined for other files. Derived from the name if the platform does not know the type. */
export function soundTypeOf({
  name,
  media_type,
}: Pick<FileReference, "name" | "media_type">): string | undefined {
  const type = media_type === "application/octet-stream" ? mediaTypeOf(name) : media_type.toLowerCase();
  return type.startsWith("audio/") ? type : undefined;
}

/** A duration as players show it: `0:12`, `1:02:05`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
