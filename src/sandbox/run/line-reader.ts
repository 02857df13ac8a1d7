/** Why a writer of lines is not listened to any longer. */
export type LineTrouble = "line_too_long" | "flood";

export interface LineLimits {
  /** Of one line, bytes. */
  lineBytes: number;
  /** What may come at once; it comes back at a tenth a second. */
  bytes: number;
  lines: number;
}

/** Room for what a careless skill prints, and far less than what would hold up or fill the bot. */
export const defaultLineLimits: LineLimits = { lineBytes: 8_388_608, bytes: 67_108_864, lines: 50_000 };

/** How much may still come at the moment, shared by the streams of one program. */
export class LineBudget {
  readonly #limits: LineLimits;
  readonly #now: () => number;
  #bytes: number;
  #lines: number;
  #at: number;

  /** `now` answers milliseconds of a clock that only moves forward. */
  constructor(limits: LineLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#bytes = limits.bytes;
    this.#lines = limits.lines;
    this.#at = now();
  }

  /** Whether this much is within the limits; it is used up then. */
  take(bytes: number, lines: number): boolean {
    const now = this.#now();
    const share = (now - this.#at) / 10_000;
    this.#at = now;
    this.#bytes = Math.min(this.#limits.bytes, this.#bytes + share * this.#limits.bytes) - bytes;
    this.#lines = Math.min(this.#limits.lines, this.#lines + share * this.#limits.lines) - lines;
    return this.#bytes >= 0 && this.#lines >= 0;
  }
}

/** Cuts a stream of bytes into lines of UTF-8, and holds no more than one unfinished line. */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #budget: LineBudget;
  readonly #onLine: (line: string) => void;
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(limits: LineLimits, budget: LineBudget, onLine: (line: string) => void) {
    this.#limits = limits;
    this.#budget = budget;
    this.#onLine = onLine;
  }

  /** Passes on the lines that are complete now. What a limit refuses is not passed on, nor what follows it. */
  add(chunk: Uint8Array): LineTrouble | undefined {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const trouble = this.#keep(chunk.subarray(from, end), 1);
      if (trouble !== undefined) return trouble;
      this.#pass();
      from = end + 1;
    }
    return this.#keep(chunk.subarray(from), 0);
  }

  /** Passes on a last line without a line break. */
  end(): void {
    if (this.#size > 0) this.#pass();
  }

  #keep(bytes: Uint8Array, lines: number): LineTrouble | undefined {
    this.#size += bytes.byteLength;
    if (this.#size > this.#limits.lineBytes) return "line_too_long";
    if (!this.#budget.take(bytes.byteLength, lines)) return "flood";
    // A copy: a small rest must not keep the stream's whole buffer alive.
    if (bytes.byteLength > 0) this.#parts.push(lines === 0 ? Uint8Array.from(bytes) : bytes);
    return undefined;
  }

  #pass(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#size = 0;
    this.#onLine(line);
  }
}
