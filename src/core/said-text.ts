import type { MessageContext } from "./turn-event.ts";

/** What was said: what the person wrote, or in place of it what they recorded. */
export function saidText(written: string, context: Pick<MessageContext, "files"> | undefined): string {
  const spoken = context?.files.filter((file) => file.spoken?.is_message === true) ?? [];
  return spoken.length === 0 ? written : spoken.map(({ text = "" }) => text).join("\n\n");
}
