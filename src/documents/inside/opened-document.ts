import type { DocumentText } from "../../core/ports/documents.ts";
import type { ReadLimits } from "../read-limits.ts";
import type { BoundedText } from "./bounded-text.ts";

/** What the readers of the formats get. */
export interface OpenedDocument {
  /** The whole file. */
  data: Buffer;
  limits: ReadLimits;
}

/** What they answer; `note` without the sentence that the text was cut. */
export interface ReadDocument extends Pick<Extract<DocumentText, { ok: true }>, "tables" | "pages" | "note"> {
  text: BoundedText;
}
