/** What changed, as a part of the message it follows: for servers that take system messages only at the beginning. */
export function asNote(text: string): string {
  return `<system_note>\n${withoutNoteTags(text)}\n</system_note>`;
}

/** Text in which nothing passes for a note. */
export function withoutNoteTags(text: string): string {
  return text.replaceAll(/<(?=\s*(?:\/\s*)?system_note)/gi, "&lt;");
}

/** Said with the instructions where notes are used. */
export const notesExplained =
  "What stands in <system_note> within a message comes from the operator, as these instructions do, and says what has changed since.";
