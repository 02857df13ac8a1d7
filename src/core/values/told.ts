import type { Effort } from "./message.ts";

/**
 * What a transcript has told the model about the channel. Compared with the channel as it is now before each model call;
 * the difference is told in a system message, and becomes part of this.
 */
export interface Told {
  /** The agent that has the turn. */
  agent: string;
  /** Where this is, in words. */
  place: string;
  /** Skills in the list: id → its line. */
  skills: Readonly<Record<string, string>>;
  /** Ids of skills that did not fit into the list, and are found with `list_skills`. */
  unlisted: readonly string[];
  /** Skills whose tools are there without activation. */
  open: readonly string[];
  /** Active skills: id → fingerprint of the guide the model was given. */
  active: Readonly<Record<string, string>>;
  /** Pinned facts of the channel, as `factLine` writes them. */
  facts: readonly string[];
  /** Agents a turn can be handed to: id → what for. */
  agents: Readonly<Record<string, string>>;
  effort?: Effort | undefined;
  /** Tools that a provider refuses: name → fingerprint of the definition. */
  left_out?: Readonly<Record<string, string>> | undefined;
}

/** A short name for a text: FNV-1a, 32 bits, eight hex digits. Tells texts apart; it protects nothing. */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
