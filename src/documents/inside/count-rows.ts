const space = 32;
const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Counts the rows of a table in text (RFC 4180) as its bytes come, in constant memory. Line breaks in quotes are part of a cell; CR LF,
 * LF and CR end a row; lines without content are no rows. A quote in a cell that does not begin with one is text.
 */
export class RowCounter {
  readonly #delimiter: number;
  #rows = 0;
  #quoted = false;
  /** The byte before the next ones. */
  #before = lineFeed;
  /** Where the line begins and a quote last closed, counted from the next byte. */
  #lineStart = 0;
  #closed = -2;

  /** The delimiter is one ASCII character, the encoding one that keeps ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  add(bytes: Uint8Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[at] as number;
      // Most bytes are letters and digits: this is the only look at them.
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

  /** A quote in quotes is written twice. */
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

  /** The rows so far, with the last one where no line break ends it. */
  get rows(): number {
    return this.#rows + (this.#lineStart < 0 ? 1 : 0);
  }
}
