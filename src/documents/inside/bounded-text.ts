/** A text that grows up to a limit. */
export class BoundedText {
  /** Whether something was left out. */
  cut = false;
  readonly #parts: string[] = [];
  #room: number;

  /** `limit` in characters. */
  constructor(limit: number) {
    this.#room = limit;
  }

  /** Adds text as far as there is room; false when there is none left. */
  add(text: string): boolean {
    if (text.length > this.#room) this.cut = true;
    if (text.length > 0 && this.#room > 0) this.#parts.push(text.slice(0, this.#room));
    this.#room = Math.max(0, this.#room - text.length);
    return this.#room > 0;
  }

  /** Adds text and ends the line. */
  line(text: string): boolean {
    return this.add(`${text}\n`);
  }

  text(): string {
    return this.#parts.join("");
  }
}
