import { commandThread } from "./message-actions.ts";

/** What a thread is called: the beginning of its first message, on one line. */
export function threadTitle({ thread, title }: { thread: string; title: string }): string {
  if (thread === commandThread) return "Commands";
  const line = title.replace(/\s+/g, " ").trim();
  return line === "" ? "Untitled" : line;
}
