import { readSync } from "node:fs";
import Papa from "papaparse";
import { findEncoding, guessNote } from "../../base/decode-text.ts";
import type { Table } from "../../core/ports/documents.ts";
import { UnreadableDocument } from "./opened-document.ts";
import { firstRows, makeTable } from "./sheet-text.ts";

/** Bytes from which delimiter, columns and first rows are determined. */
const headBytes = 1_000_000;
const chunkBytes = 262_144;
const delimiters = [",", ";", "\t", "|"];

/**
 * The shape and beginning of a table in text: the library reads the beginning, the rest is only counted. Memory use is constant, however
 * long the lines are. `notes` receives remarks for the reader. @throws UnreadableDocument when it is not text
 */
export function readTable(descriptor: number, notes: string[] = []): Table {
  const chunk = Buffer.alloc(chunkBytes);
  const beginning = Buffer.alloc(headBytes);
  const head = beginning.subarray(0, readSync(descriptor, beginning, 0, headBytes, 0));
  const goesOn = head.length === headBytes;
  const found = findEncoding(head, goesOn);
  if (found === undefined) throw new UnreadableDocument("It is not text; send the table as CSV.");
  const text = new TextDecoder(found.label).decode(head, { stream: goesOn });
  const { data, meta } = Papa.parse<string[]>(text, {
    preview: firstRows + 1,
    skipEmptyLines: true,
    delimitersToGuess: delimiters,
  });
  // The beginning may end in the middle of a row.
  const whole = goesOn && data.length > 1 && data.length <= firstRows ? data.slice(0, -1) : data;
  const counter = new RowCounter(meta.delimiter);
  // In other encodings a second byte may look like a delimiter.
  const isPlain = found.label === "utf-8" || found.label.startsWith("windows-");
  const decoder = isPlain ? undefined : new TextDecoder(found.label);
  const note = guessNote({ encoding: found.name, guessed: found.guessed });
  // A lone byte order mark is no content.
  let position = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  for (;;) {
    const read = readSync(descriptor, chunk, 0, chunkBytes, position);
    if (read === 0) break;
    position += read;
    const bytes = chunk.subarray(0, read);
    counter.add(decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true })));
  }
  if (note !== undefined) notes.push(note);
  return { ...makeTable(whole, Math.max(0, counter.rows - 1)), delimiter: meta.delimiter };
}

const space = 32;
const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Counts the rows of a table in text (RFC 4180) as its bytes arrive, in constant memory. Line breaks in quotes are part of a cell; CR LF,
 * LF and CR end a row; lines without content are no rows. A quote in a cell that does not begin with one is text.
 */
export class RowCounter {
  readonly #delimiter: number;
  #rows = 0;
  #quoted = false;
  /** The last byte of the previous chunk. */
  #before = lineFeed;
  /** Position of the line's beginning and of the last closing quote, relative to the next byte. */
  #lineStart = 0;
  #closed = -2;

  /** The delimiter is one ASCII character, and the encoding extends ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  add(bytes: Uint8Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[at] as number;
      // Most bytes are letters and digits, which need no further check.
      if (byte > quote || byte === space) continue;
      if (byte === quote) this.#quote(at, bytes);
      else if (!this.#quoted && (byte === lineFeed || byte === carriageReturn)) this.#endLine(at);
    }
    this.#lineStart -= length;
    this.#closed -= length;
    this.#before = bytes[length - 1] ?? this.#before;
  }

  #endLine(at: number): void {
    if (at > this.#lineStart) this.#rows += 1;
    this.#lineStart = at + 1;
  }

  /** A quote in quotes is doubled. */
  #quote(at: number, bytes: Uint8Array): void {
    if (this.#quoted) {
      this.#quoted = false;
      this.#closed = at;
    } else {
      this.#quoted = this.#closed === at - 1 || this.#beginsCell(at === 0 ? this.#before : bytes[at - 1]);
    }
  }

  #beginsCell(before: number | undefined): boolean {
    return before === this.#delimiter || before === lineFeed || before === carriageReturn;
  }

  /** The rows so far, including a last one without a line break. */
  get rows(): number {
    return this.#rows + (this.#lineStart < 0 ? 1 : 0);
  }
}
