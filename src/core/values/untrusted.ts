import type { Message, UserMessage } from "./message.ts";

/**
 * Text in a transcript that nobody here vouches for: results of tools, files, messages of bots and guests, texts of skills that did not
 * ship with the bot. Members of a channel and its managers are trusted. The transcript maintains this list as it grows, and entries are
 * never removed.
 */

/**
 * `result`: the result of a tool. `outsider`: a file, or a message of a bot or guest. `skill`: the guide or tools of a skill from
 * elsewhere. `summary`: the summary of an earlier transcript that contained untrusted text, or covers
 * turns without details. `code`: a skill from elsewhere makes the call.
 */
export type Untrusted = "result" | "outsider" | "skill" | "summary" | "code";

/** The untrusted text of a transcript, and the skills whose guides it contains. A fold over its steps. */
export interface ReadSoFar {
  readonly untrusted: Set<Untrusted>;
  readonly guides: Set<string>;
}

interface Opened {
  messages: readonly Message[];
  summary?: object | undefined;
  untrusted?: readonly Untrusted[] | undefined;
  active: readonly string[];
}

/** The untrusted text of a transcript at its opening. */
export function readAtOpening(
  { messages, summary, untrusted, active }: Opened,
  guides: Iterable<string>,
): ReadSoFar {
  const read: ReadSoFar = { untrusted: new Set(untrusted), guides: new Set([...guides, ...active]) };
  if (summary !== undefined && untrusted === undefined) read.untrusted.add("summary");
  for (const message of messages) noteMessage(read, message);
  return read;
}

/** The agent's own tools whose results are the person's words or the bot's own. Guides are attributed to their skills. */
const ownWords: ReadonlySet<string> = new Set(["ask_user", "activate_skill", "offload_skill"]);

/** Whether nobody here vouches for the results of a tool. */
export function isForeignResult(tool: string): boolean {
  return !ownWords.has(tool);
}

/**
 * Blocks with files, with messages of bots and of people from outside, with events that triggered a turn, and with the results of agents
 * in the background. A text cannot imitate them
 * (`user-message.ts`).
 */
const blocksOfOthers =
  /<attached_file |<thread_message from="[^"]* \((?:a bot|from outside)\)"|<what_happened>|<background_result /;

/** Updates the list for a message that is added to the transcript. */
export function noteMessage({ untrusted }: ReadSoFar, message: Message): void {
  if (message.role === "tool" && isForeignResult(message.tool)) untrusted.add("result");
  if (message.role === "user" && isOfOutsiders(message)) untrusted.add("outsider");
}

/** Whether a message contains files, or words of guests, bots or people from outside. */
export function isOfOutsiders({ by_guest, text }: UserMessage): boolean {
  return by_guest === true || blocksOfOthers.test(text);
}
