import type { ThreadMessage } from "../../core/ports/chat-actions.ts";
import type { HeardMessage } from "../../core/values/message.ts";
import { type CountTokens, fitBeginning } from "../../core/values/profile.ts";

/** Messages of a thread, oldest first, and what is to be said about those that are not there. */
export interface HeardInThread {
  thread: HeardMessage[];
  notes: string[];
}

/** Beside its text, a message takes about this many tokens: who and when. */
const overhead = 25;

/**
 * As much of a thread as fits: the message it began with always, if it is among them, then the newest ones. One message takes at
 * most a quarter of the room; what is cut is said.
 */
export function fitThread(
  messages: readonly ThreadMessage[],
  rootId: string | undefined,
  tokens: number,
  countTokens: CountTokens,
): HeardInThread {
  const longest = Math.max(50, Math.floor(tokens / 4));
  const heard = messages.map((message) => () => asHeard(message, longest, countTokens));
  const hasRoot = messages[0] !== undefined && messages[0].id === rootId;
  const first = heard.slice(0, hasRoot ? 1 : 0).map((make) => make());
  let room = tokens - first.reduce((sum, { text }) => sum + countTokens(text) + overhead, 0);
  const latest: HeardMessage[] = [];
  for (const make of heard.slice(first.length).toReversed()) {
    const message = make();
    room -= countTokens(message.text) + overhead;
    if (room < 0) break;
    latest.push(message);
  }
  const left_out = messages.length - first.length - latest.length;
  const notes = left_out === 0 ? [] : [`${left_out} earlier messages of the thread are left out here.`];
  return { thread: [...first, ...latest.reverse()], notes };
}

function asHeard(message: ThreadMessage, tokens: number, countTokens: CountTokens): HeardMessage {
  const { text, left_out } = fitBeginning(withFileNames(message), tokens, countTokens);
  return {
    id: message.id,
    by: message.author.name || message.author.id,
    author: message.author.id,
    text: left_out === 0 ? text : `${text} [${left_out} more characters are cut]`,
    at: message.at,
    ...(message.author.bot ? { bot: true as const } : {}),
  };
}

/** With the names of its files behind it: their contents stand elsewhere. */
function withFileNames({ text, files }: ThreadMessage): string {
  const names = files.map(({ name }) => `[file: ${name}]`);
  return [text.trim(), ...names].filter((part) => part !== "").join("\n");
}
