/** Maximum characters of a line that are passed on. */
const maxLine = 2_000;

/** Collects an output stream up to a limit; the rest is read and dropped, so that the writer is not blocked. */
export class CapturedOutput {
  /** Whether there was more output than was kept. */
  truncated = false;
  readonly #maxBytes: number;
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  readonly #lineDecoder = new TextDecoder();
  #size = 0;
  #line = "";

  /** `onLine` gets each line once it is complete, cut at 2,000 characters, until the limit is reached. */
  constructor(maxBytes: number, onLine?: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    const room = this.#maxBytes - this.#size;
    if (chunk.byteLength > room) this.truncated = true;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#size += kept.byteLength;
    if (this.#onLine !== undefined) this.#readLines(kept);
  }

  /** The kept output. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The kept output, as UTF-8. A character cut in two at the limit is left out. */
  text(): string {
    return new TextDecoder().decode(this.bytes(), { stream: true });
  }

  /** Passes on a last line without a line break. */
  end(): void {
    if (this.#line !== "") this.#onLine?.(this.#line);
    this.#line = "";
  }

  #readLines(bytes: Uint8Array): void {
    const lines = this.#lineDecoder.decode(bytes, { stream: true }).split(/\r?\n/);
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#onLine?.((this.#line + line).slice(0, maxLine));
      this.#line = "";
    }
    this.#line = (this.#line + rest).slice(0, maxLine);
  }
}
