/**
 * What a model has read that nobody here vouches for: results of tools, files, what bots and guests wrote, texts of skills that did not
 * ship with the bot. Members of a channel and its managers are believed. A transcript keeps the list as it grows, so asking costs
 * nothing, and what was read once stays read.
 */
import type { Message, UserMessage } from "./message.ts";

/**
 * `result`: of a tool. `outsider`: a file, or the words of a bot or a guest. `skill`: the guide or the tools of a skill from elsewhere.
 * `summary`: of an earlier transcript that had any of these, of an earlier version, or of turns without details. `code`: a skill from elsewhere makes the call.
 */
export type Untrusted = "result" | "outsider" | "skill" | "summary" | "code";

/** What of a transcript is untrusted, and the skills whose guides it has told. A fold over its steps. */
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

/** What stands in a transcript when it opens. */
export function readAtOpening(
  { messages, summary, untrusted, active }: Opened,
  guides: Iterable<string>,
): ReadSoFar {
  const read: ReadSoFar = { untrusted: new Set(untrusted), guides: new Set([...guides, ...active]) };
  if (summary !== undefined && untrusted === undefined) read.untrusted.add("summary");
  for (const message of messages) noteMessage(read, message);
  return read;
}

/** Tools of the agent itself whose results are the person's words, or the bot's own. Guides are counted by their skills. */
const ownWords: ReadonlySet<string> = new Set(["ask_user", "handoff", "activate_skill", "offload_skill"]);

/** Whether what a tool answers is nobody's here. */
export function isForeignResult(tool: string): boolean {
  return !ownWords.has(tool);
}

/** Blocks that hold files, the words of bots and of people from outside, and what a trigger waited for; a text cannot make them itself (`user-message.ts`). */
const blocksOfOthers =
  /<attached_file |<thread_message from="[^"]* \((?:a bot|from outside)\)"|<what_happened>/;

/** Takes in a message that joins the transcript. */
export function noteMessage({ untrusted }: ReadSoFar, message: Message): void {
  if (message.role === "tool" && isForeignResult(message.tool)) untrusted.add("result");
  if (message.role === "user" && isOfOutsiders(message)) untrusted.add("outsider");
}

/** Whether a message has words of guests, bots or people from outside, or files. */
export function isOfOutsiders({ by_guest, text }: UserMessage): boolean {
  return by_guest === true || blocksOfOthers.test(text);
}
