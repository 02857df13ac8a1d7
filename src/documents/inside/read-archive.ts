import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Parser, ReadEntry } from "tar";
import { formatBytes } from "../../base/amounts.ts";
import { decodeText, guessNote } from "../../base/decode-text.ts";
import { whyUnreadable } from "../../base/file-kind.ts";
import type { ReadLimits } from "../read-limits.ts";
import { openZip } from "./open-zip.ts";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  shownName,
  UnreadableDocument,
} from "./opened-document.ts";

/** Maximum entries that are listed. */
const maxListed = 1_000;
/** Maximum bytes of a file whose text is shown, of all of them, and their maximum number. */
const maxFileBytes = 200_000;
const maxShownBytes = 1_000_000;
const maxShown = 200;

interface Listed {
  name: string;
  bytes: number;
  /** Its type, unless it is a plain file. */
  what?: string | undefined;
}

/** The list of the files in an archive, and the text of small text files. Nested archives are listed, not opened. */
class ArchiveText {
  /** What was not looked at. */
  readonly left_out: string[] = [];
  readonly #listed: Listed[] = [];
  readonly #shown: { name: string; text: string }[] = [];
  #room = maxShownBytes;
  #bytes = 0;
  #count = 0;

  list(entry: Listed): void {
    this.#count += 1;
    this.#bytes += entry.bytes;
    if (this.#listed.length < maxListed) this.#listed.push(entry);
  }

  /** Whether the text of a file of this size still fits. */
  wants(bytes: number): boolean {
    return bytes > 0 && bytes <= Math.min(maxFileBytes, this.#room) && this.#shown.length < maxShown;
  }

  show(name: string, content: Buffer): void {
    const why = content.length === 0 ? undefined : whyUnreadable(name, content);
    const listed = this.#listed.at(-1);
    if (why !== undefined && listed?.name === name) listed.what = `${formatBytes(content.length)}; ${why}`;
    const decoded = why === undefined ? decodeText(content) : undefined;
    if (decoded === undefined || !this.wants(content.length)) return;
    this.#room -= content.length;
    const note = guessNote(decoded);
    this.#shown.push({ name, text: note === undefined ? decoded.text : `[${note}]\n${decoded.text}` });
  }

  written(limits: ReadLimits): ReadDocument {
    const text = new BoundedText(limits.textCharacters);
    text.line(`${this.#count} ${this.#count === 1 ? "file" : "files"}, ${formatBytes(this.#bytes)} unpacked`);
    for (const { name, bytes, what = formatBytes(bytes) } of this.#listed) {
      text.line(`- ${shownName(name)} (${what})`);
    }
    if (this.#count > this.#listed.length) text.line(`and ${this.#count - this.#listed.length} more`);
    for (const { name, text: content } of this.#shown) text.add(`\n--- ${shownName(name)} ---\n${content}\n`);
    const unread = this.#count - this.#shown.length;
    const files = unread === 1 ? "the content of 1 file" : `the content of ${unread} files`;
    return { text, left_out: [...(unread === 0 ? [] : [files]), ...this.left_out] };
  }
}

/** A .zip file: its list of files, and the text of small text files. */
export async function readZipArchive({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const zip = await openZip(data, limits);
  const archive = new ArchiveText();
  const files = zip.entries.filter(({ name }) => !name.endsWith("/"));
  for (const { name, bytes, encrypted } of files) {
    archive.list(encrypted ? { name, bytes, what: "protected with a password" } : { name, bytes });
    if (!encrypted && archive.wants(bytes)) archive.show(name, await readable(zip.read(name)));
  }
  if (zip.more) archive.left_out.push(`entries after the first ${limits.entries}`);
  return archive.written(limits);
}

/** Damaged files and those with a false size are listed too. */
async function readable(content: Promise<Buffer | undefined>): Promise<Buffer> {
  try {
    return (await content) ?? Buffer.alloc(0);
  } catch (error) {
    if (error instanceof UnreadableDocument) return Buffer.alloc(0);
    throw error;
  }
}

const fileTypes = ["File", "OldFile", "ContiguousFile"];
const chunkBytes = 65_536;

/** A .tar or .tar.gz file: its list of files, and the text of small text files. */
export async function readTarArchive({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const archive = new ArchiveText();
  const { Parser } = await import("tar");
  const parser = new Parser({ maxMetaEntrySize: chunkBytes } as object);
  let entries = 0;
  let bytes = 0;
  let broken = false;
  const isOver = () => entries >= limits.entries || bytes > limits.unpackedBytes;
  const fail = () => {
    broken = true;
  };
  parser.on("entry", (entry: ReadEntry) => {
    entries += 1;
    take(entry, archive);
  });
  parser.on("ignoredEntry", (entry: ReadEntry) =>
    archive.list({ name: entry.path, bytes: 0, what: entry.type }),
  );
  parser.on("warn", fail);
  parser.on("error", fail);
  try {
    for await (const chunk of unzipped(data)) {
      bytes += chunk.length;
      if (isOver() || broken) break;
      parser.write(chunk);
    }
    if (!isOver() && !broken) await end(parser);
  } catch {
    broken = true;
  }
  if (broken && entries === 0) {
    throw new UnreadableDocument("It is damaged or incomplete and cannot be unpacked; send it again.");
  }
  if (broken) archive.left_out.push("what comes after the last file listed, where it is damaged");
  else if (isOver()) archive.left_out.push(`entries after the first ${entries}`);
  return archive.written(limits);
}

function unzipped(data: Buffer): AsyncIterable<Buffer> {
  const pieces = Readable.from(chunksOf(data), { objectMode: false });
  if (data[0] !== 0x1f || data[1] !== 0x8b) return pieces;
  return pieces.pipe(createGunzip());
}

async function end(parser: Parser): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  parser.once("end", () => resolve());
  parser.end();
  await promise;
}

function* chunksOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
}

function take(entry: ReadEntry, archive: ArchiveText): void {
  const { path: name, type, size } = entry;
  if (type === "Directory" || type === "GNUDumpDir") {
    entry.resume();
    return;
  }
  const isFile = fileTypes.includes(type);
  archive.list({ name, bytes: isFile ? size : 0, what: isFile ? undefined : type });
  if (isFile && archive.wants(size)) {
    const chunks: Buffer[] = [];
    entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    entry.on("end", () => archive.show(name, Buffer.concat(chunks)));
  }
  entry.resume();
}
