import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { DocumentText } from "../../core/ports/documents.ts";
import type { ReadLimits } from "../read-limits.ts";

/** The input of the readers of formats. */
export interface OpenedDocument {
  /** The whole file. */
  data: Buffer;
  limits: ReadLimits;
}

/** Their result; `left_out` does not mention that the text was cut. */
export interface ReadDocument
  extends Pick<Extract<DocumentText, { ok: true }>, "tables" | "pages" | "left_out" | "note"> {
  text: BoundedText;
}

/** A document that cannot be read; the message says why and what to send instead, in a sentence for people. */
export class UnreadableDocument extends Error {
  readonly code = "unreadable_document";
}

/** The name of a file in a document: on one line, invisible characters escaped, cut at 200 characters. */
export function shownName(name: string): string {
  const line = escapedInvisible(name, true);
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`;
}

/** A text with a maximum length. */
export class BoundedText {
  /** Whether something was left out. */
  cut = false;
  readonly #parts: string[] = [];
  #room: number;

  /** `limit` in characters. */
  constructor(limit: number) {
    this.#room = limit;
  }

  /** Adds text as far as it fits; false if it is full. */
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
