const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/** Where the scanner is. */
const atFieldStart = 0;
const inField = 1;
const inQuotes = 2;
const afterQuote = 3;

/**
 * Counts the rows of a table in text (RFC 4180) as its bytes come, in constant memory. Line breaks in quotes are part of a cell, any
 * of CR LF, LF and CR ends a row, lines without content are no rows. A quote inside of a cell that does not begin with one is text.
 */
export class RowCounter {
  readonly #delimiter: number;
  #rows = 0;
  #state = atFieldStart;
  #hasContent = false;

  /** The delimiter is one ASCII character, the encoding one that keeps ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  add(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === inQuotes) {
        // A search of the machine's, faster than a loop.
        const end = bytes.indexOf(quote, at);
        if (end < 0) return;
        this.#state = afterQuote;
        at = end + 1;
      } else at = this.#unquoted(bytes, at);
    }
  }

  /** Reads up to the next quote that begins quoted text, and answers the position after it. */
  #unquoted(bytes: Uint8Array, from: number): number {
    const delimiter = this.#delimiter;
    let state = this.#state;
    let at = from;
    for (; at < bytes.length && state !== inQuotes; at += 1) {
      const byte = bytes[at];
      if (byte === lineFeed || byte === carriageReturn) {
        if (this.#hasContent) this.#rows += 1;
        this.#hasContent = false;
        state = atFieldStart;
        continue;
      }
      this.#hasContent = true;
      if (byte === delimiter) state = atFieldStart;
      else if (byte !== quote) state = inField;
      else if (state !== inField) state = inQuotes;
    }
    this.#state = state;
    return at;
  }

  /** The rows so far, the last one included that no line break ends. */
  get rows(): number {
    return this.#rows + (this.#hasContent ? 1 : 0);
  }
}
