import type { MessageContext } from "./message-context.ts";

/** What a message on a chat platform says that has files and no words. */
export const onlyFiles = "(see the attached files)";

/** Whether whoever sent a message wrote nothing in it. */
export function isWordless(text: string): boolean {
  return text.trim() === "" || text === onlyFiles;
}

/** What was said: what the person wrote, or in place of it what they recorded. */
export function saidText(written: string, context: Pick<MessageContext, "files"> | undefined): string {
  const spoken = context?.files.filter((file) => file.spoken?.is_message === true) ?? [];
  return spoken.length === 0 ? written : spoken.map(({ text = "" }) => text).join("\n\n");
}
