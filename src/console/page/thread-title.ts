import { commandThread } from "../state/message-actions.ts";

/** Threads that are no conversations: those of commands, of commands of the command line, and of test runs. */
const named = new Map([
  [commandThread, "Commands"],
  ["command-line", "Command line"],
  ["test-runs", "Test runs"],
]);

/** What a thread is called: the beginning of its first message, on one line. */
export function threadTitle({ thread, title }: { thread: string; title: string }): string {
  const name = named.get(thread);
  if (name !== undefined) return name;
  const line = title.replace(/\s+/g, " ").trim();
  return line === "" ? "Untitled" : line;
}

/** How people read the name of a model; `offline` stands for none. */
export function modelName(model: string): string {
  return model === "offline" ? "no language model" : model;
}
