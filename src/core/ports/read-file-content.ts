import { type FileContent, imageType, readContent } from "../values/file-content.ts";
import { formatBytes } from "../values/format-bytes.ts";
import { mediaTypeOf } from "../values/media-type.ts";
import { whyUnreadable } from "../values/unreadable-file.ts";
import type { DocumentReader, Table } from "./document-reader.ts";
import type { OpenedFile } from "./working-folder.ts";

/** What a file of a working folder is, for a model. */
export type ReadContent =
  | { kind: "text"; text: string; note?: string }
  /** A table in text. Its rows are read as lines of `text`, where it is not too large for that. */
  | { kind: "table"; table: Table; text: string | undefined; note?: string }
  | { kind: "document"; format: string; text: string; tables: readonly Table[]; note: string | undefined }
  | { kind: "image"; media_type: ImageType; data: Uint8Array }
  | { kind: "unreadable"; problem: string };

type ImageType = Extract<FileContent, { kind: "image" }>["media_type"];

/** Bytes of a file that is read as text, whole. */
const largestText = 32_000_000;
/** Bytes of a picture: Anthropic takes 5 MiB of it in base64, which is a third longer. */
const largestPicture = 3_932_160;
/** Bytes by which a kind of file is known. */
const headBytes = 4_096;
/** Bytes of a table that is short enough to be shown as it stands. */
const smallTable = 2_000;

/** Reads a file; the first bytes say what it is, whatever it is called. @throws the signal's reason */
export async function readFileContent(
  file: OpenedFile,
  documents: DocumentReader,
  signal: AbortSignal,
): Promise<ReadContent> {
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  const head = await file.read(0, headBytes);
  if (imageType(head) !== undefined) return await readPicture(file, name);
  if (documents.formatOf(name, head) !== undefined) {
    const read = await documents.read({ name, descriptor: file.descriptor }, signal);
    if (!read.ok) return { kind: "unreadable", problem: read.problem };
    const { format, text, tables = [], note } = read;
    return { kind: "document", format, text, tables, note };
  }
  const known = whyUnreadable(name, head);
  if (known !== undefined) return { kind: "unreadable", problem: known };
  const text = await readText(file, name);
  const isTable = /\.(csv|tsv|tab)$/i.test(name) && file.bytes > smallTable;
  if (!isTable || (text.kind === "unreadable" && file.bytes <= largestText)) return text;
  const read = await documents.table({ name, descriptor: file.descriptor }, signal);
  if (!read.ok) return text;
  const { table, note } = read;
  const whole = text.kind === "text" ? text.text : undefined;
  return { kind: "table", table, text: whole, ...(note === undefined ? {} : { note }) };
}

type TextContent = Extract<ReadContent, { kind: "text" | "unreadable" }>;

async function readText(file: OpenedFile, name: string): Promise<TextContent> {
  if (file.bytes > largestText) {
    const problem = `it has ${formatBytes(file.bytes)}; texts of more than ${formatBytes(largestText)} are for code to read`;
    return { kind: "unreadable", problem };
  }
  const content = readContent(name, mediaTypeOf(name), await file.read(0, file.bytes));
  return content.kind === "image" ? { kind: "unreadable", problem: "it is a picture" } : content;
}

async function readPicture(file: OpenedFile, name: string): Promise<ReadContent> {
  if (file.bytes > largestPicture) {
    const problem = `pictures of more than ${formatBytes(largestPicture)} cannot be looked at; make it smaller`;
    return { kind: "unreadable", problem };
  }
  const data = await file.read(0, file.bytes);
  const content = readContent(name, mediaTypeOf(name), data);
  return content.kind === "image" ? { ...content, data } : { kind: "unreadable", problem: "it is damaged" };
}
