/** A document that cannot be read; the message says why and what to send instead, in a sentence for people. */
export class UnreadableDocument extends Error {
  readonly code = "unreadable_document";
}
