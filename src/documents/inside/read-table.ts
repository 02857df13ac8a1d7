import { readSync } from "node:fs";
import Papa from "papaparse";
import { findEncoding, guessNote, markedUtf16 } from "../../base/decode-text.ts";
import { type TableText, undecodedIn } from "../../core/ports/documents.ts";
import { UnreadableDocument } from "./opened-document.ts";
import { makeTable } from "./sheet-text.ts";
import { dialectOf } from "./table-dialect.ts";

/** Bytes from which delimiter, columns and first rows are determined. */
const headBytes = 1_000_000;
const chunkBytes = 262_144;
const delimiters = [",", ";", "\t", "|"];

/** Rows from which the form of numbers and dates is determined. */
const sampleRows = 500;

/** Names of Python for labels of `TextDecoder`, where they differ. */
const pythonNames: Readonly<Record<string, string>> = {
  shift_jis: "cp932",
  "euc-kr": "cp949",
  big5: "big5hkscs",
};

/**
 * The shape and beginning of a table in text: the library reads the beginning, the rest is only counted. Memory use is constant, however
 * long the lines are. @throws UnreadableDocument when it is not text
 */
export function readTable(descriptor: number): Extract<TableText, { ok: true }> {
  const beginning = Buffer.alloc(headBytes);
  const head = beginning.subarray(0, readSync(descriptor, beginning, 0, headBytes, 0));
  const goesOn = head.length === headBytes;
  const found = findEncoding(head, goesOn);
  if (found === undefined) throw new UnreadableDocument("It is not text; send the table as CSV.");
  const text = new TextDecoder(found.label).decode(head, { stream: goesOn });
  const { data, meta } = Papa.parse<string[]>(text, {
    preview: sampleRows,
    skipEmptyLines: true,
    delimitersToGuess: delimiters,
  });
  // The beginning may end in the middle of a row.
  const rows = goesOn && data.length > 1 && data.length < sampleRows ? data.slice(0, -1) : data;
  const counter = new RowCounter(meta.delimiter);
  const isBroken = readRows(descriptor, found.label, counter);
  const marked = markedUtf16(head) === undefined ? undefined : "utf-16";
  const encoding = isMarked(head) ? "utf-8-sig" : (marked ?? pythonNames[found.label] ?? found.label);
  const { table, above, notes } = dialectOf({ rows, delimiter: meta.delimiter, encoding, isBroken });
  return {
    ok: true,
    table: { ...makeTable(table, Math.max(0, counter.rows - above)), notes },
    left_out: isBroken ? undecodedIn("\ufffd") : [],
    note: guessNote({ encoding: found.name, guessed: found.guessed }),
  };
}

/** Counts the rows of all of the file; whether some bytes are not text in UTF-8. */
function readRows(descriptor: number, label: string, counter: RowCounter): boolean {
  // In other encodings a second byte may look like a delimiter.
  const isPlain = label === "utf-8" || label.startsWith("windows-");
  const decoder = new TextDecoder(label);
  const strict = new TextDecoder(label, { fatal: true });
  const chunk = Buffer.alloc(chunkBytes);
  let isBroken = false;
  let position = 0;
  for (;;) {
    const read = readSync(descriptor, chunk, 0, chunkBytes, position);
    // A lone byte order mark is no content.
    const bytes = chunk.subarray(position === 0 && isMarked(chunk) ? 3 : 0, read);
    position += read;
    try {
      if (!isBroken) strict.decode(bytes, { stream: read > 0 });
    } catch {
      isBroken = true;
    }
    if (read === 0) return isBroken;
    counter.add(isPlain ? bytes : Buffer.from(decoder.decode(bytes, { stream: true })));
  }
}

/** Whether it begins with the byte order mark of UTF-8. */
function isMarked([one, two, three]: Uint8Array): boolean {
  return one === 0xef && two === 0xbb && three === 0xbf;
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
