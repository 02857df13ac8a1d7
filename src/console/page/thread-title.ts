import { commandThread } from "../state/message-actions.ts";

/** Threads that are not conversations: commands, commands of the command line, and test runs. */
const named = new Map([
  [commandThread, "Commands"],
  ["command-line", "Command line"],
  ["test-runs", "Test runs"],
]);

/** The title of a thread: the beginning of its first message, on one line. */
export function threadTitle({ thread, title }: { thread: string; title: string }): string {
  const name = named.get(thread);
  if (name !== undefined) return name;
  const line = title.replace(/\s+/g, " ").trim();
  return line === "" ? "Untitled" : line;
}

/** The name of a model for people; `offline` is no model. */
export function modelName(model: string): string {
  return model === "offline" ? "no language model" : model;
}
