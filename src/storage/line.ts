import type { Inbound } from "../core/inbound.ts";

const longestTitle = 120;

/** The line a turn stands in: its thread's for a message, one of its own for a command. */
export function lineOf(inbound: Inbound, turnId: string): string {
  return inbound.kind === "command" ? `command ${turnId}` : `thread ${inbound.namespace} ${inbound.thread}`;
}

/** The beginning of a message as one line of at most 120 characters, to name its thread. */
export function titleOf(text: string): string {
  const line = text.slice(0, 1_000).replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join("")}…`;
}
