import { beforeGuides } from "../../core/skill/offered-tools.ts";
import type { Message, ToolMessage } from "../../core/values/message.ts";
import { withoutCutNote } from "./read-output.ts";

/** A tool call of the running turn with its result. */
export interface DoneCall {
  name: string;
  /** As JSON text. */
  arguments: string;
  result: ToolMessage;
}

/** Who says the message, and when, as the line before it tells. */
export interface SaidBy {
  /** In words: `Sunday, 22 November 2026, 14:20 (Europe/Amsterdam)`. */
  time: string;
  name: string;
}

/** What the rules look at: the person's message, and what has been done about it. */
export interface Conversation {
  said: string;
  /** Undefined where no line is before the message. */
  by: SaidBy | undefined;
  /** Characters of the message that the loop left out because it was too long. */
  left_out: number;
  /** Calls since the message, oldest first. */
  done: DoneCall[];
  /** Whether nothing has been answered in this thread before. */
  first: boolean;
  /** Pictures that came with the message. */
  images: number;
  /** Whether sound came with the message that was not turned into text. */
  unheard: boolean;
}

/** Reads the running turn out of a model request: everything after the last message of a person. */
export function readConversation(messages: readonly Message[]): Conversation {
  const at = messages.findLastIndex((message) => message.role === "user");
  const calls = new Map<string, { name: string; arguments: string }>();
  const done: DoneCall[] = [];
  for (const message of messages.slice(at + 1)) {
    if (message.role === "assistant") for (const call of message.tool_calls) calls.set(call.id, call);
    if (message.role !== "tool") continue;
    const call = calls.get(message.call_id);
    if (call !== undefined) done.push({ name: call.name, arguments: call.arguments, result: bare(message) });
  }
  const first = !messages.some(
    (message) =>
      message.role === "assistant" && message.tool_calls.length === 0 && message.text.trim() !== "",
  );
  const message = messages[at];
  const asked = message?.role === "user" ? message : undefined;
  const { text, cut } = withoutCutNote(asked?.said ?? asked?.text ?? "");
  const by = asked?.said === undefined ? undefined : readSaidBy(asked.text);
  const unheard = isUnheard(asked?.text ?? "");
  return { said: text, by, left_out: cut, done, first, images: asked?.images?.length ?? 0, unheard };
}

/** The block of `core/transcript/user-message.ts` for a recording that is no text; nothing people write looks like it. */
const isUnheard = (text: string) =>
  (text.match(/<attached_file [^<>]*/g) ?? []).some(
    (file) => file.includes(' type="audio/') && file.includes(' not_read="'),
  );

/** The line of `core/values/said-line.ts`; a message whose time is unknown has no such line. */
const saidLine = /^\[\p{L}{3} (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) ([^\]\n]+)\] ([^\n]*?)(?: \([^()\n]*\))?:\n/u;

function readSaidBy(text: string): SaidBy | undefined {
  const [, date, time, zone, name] = saidLine.exec(text) ?? [];
  if (date === undefined || name === undefined) return undefined;
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });
  return { time: `${day.format(new Date(`${date}T00:00Z`))}, ${time} (${zone})`, name };
}

/** A result without the guide of a skill that its call activated. */
function bare(message: ToolMessage): ToolMessage {
  return message.tool === "activate_skill" ? message : { ...message, text: beforeGuides(message.text) };
}

/** The last tool result of the whole conversation since the latest answer; for a request without tools. */
export function lastResult(messages: readonly Message[]): ToolMessage | undefined {
  const answered = messages.findLastIndex(
    (message) => message.role === "assistant" && message.tool_calls.length === 0,
  );
  return messages.slice(answered + 1).findLast((message) => message.role === "tool");
}
