/** A change as part of the message before it, for servers that take system messages only at the beginning. */
export function asNote(text: string): string {
  return `<system_note>\n${withoutNoteTags(text)}\n</system_note>`;
}

/** The text with tags of notes escaped. */
export function withoutNoteTags(text: string): string {
  return text.replaceAll(/<(?=\s*(?:\/\s*)?system_note)/gi, "&lt;");
}

/** An explanation for the instructions of conversations with notes. */
export const notesExplained =
  "What stands in <system_note> within a message comes from the operator, as these instructions do, and says what has changed since.";
