import type { Effort } from "./message.ts";

/**
 * The state of the channel that a transcript has told the model. Before each model call it is compared with the current state; differences
 * are told in a system message and added here.
 */
export interface Told {
  /** The agent that has the turn. */
  agent: string;
  /** The place, in words; empty while it has not been told. */
  place: string;
  /** Skills in the list: id → its line. */
  skills: Readonly<Record<string, string>>;
  /** Ids of skills that did not fit into the list; `list_skills` finds them. */
  unlisted: readonly string[];
  /** Skills whose tools are available without activation. */
  open: readonly string[];
  /** Active skills: id → fingerprint of the guide that the model was given. */
  active: Readonly<Record<string, string>>;
  /** Pinned facts of the channel, as lines of `factLine`. */
  facts: readonly string[];
  /** Agents that a turn can be handed to: id → purpose. */
  agents: Readonly<Record<string, string>>;
  effort?: Effort | undefined;
  /** Tools that a provider refuses: name → fingerprint of the definition. */
  left_out?: Readonly<Record<string, string>> | undefined;
}

/** A short hash of a text: FNV-1a, 32 bits, eight hex digits. Distinguishes texts; not for security. */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
