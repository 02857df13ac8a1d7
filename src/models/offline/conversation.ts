import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Message, ToolMessage } from "../../core/values/message.ts";

/** A tool call of the running turn with its result. */
export interface DoneCall {
  name: string;
  /** As JSON text. */
  arguments: string;
  result: ToolMessage;
}

/** The author and time of the message, from the line before it. */
export interface SaidBy {
  /** In words: `Sunday, 22 November 2026, 14:20 (Europe/Amsterdam)`. */
  time: string;
  name: string;
}

/** The input of the rules: the person's message, and the calls since then. */
export interface Conversation {
  said: string;
  /** Undefined without a line before the message. */
  by: SaidBy | undefined;
  /** Characters of the message that the loop left out because it was too long. */
  left_out: number;
  /** Calls since the message, oldest first. */
  done: DoneCall[];
  /** Whether this thread has no earlier answer. */
  first: boolean;
  /** The number of pictures with the message. */
  images: number;
  /** Whether the message has a recording that was not transcribed. */
  unheard: boolean;
}

/** Reads the running turn from a model request: everything from the last message of a person. */
export function readConversation(messages: readonly Message[]): Conversation {
  const at = messages.findLastIndex((message) => message.role === "user");
  const calls = new Map<string, { name: string; arguments: string }>();
  const done: DoneCall[] = [];
  for (const message of messages.slice(at + 1)) {
    if (message.role === "assistant") for (const call of message.tool_calls) calls.set(call.id, call);
    if (message.role !== "tool") continue;
    const call = calls.get(message.call_id);
    if (call !== undefined) done.push({ name: call.name, arguments: call.arguments, result: message });
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

/** The block of `core/transcript/user-message.ts` for an untranscribed recording. People's text cannot look like it. */
const isUnheard = (text: string) =>
  (text.match(/<attached_file [^<>]*/g) ?? []).some(
    (file) => file.includes(' type="audio/') && file.includes(' not_read="'),
  );

/** The line of `core/values/said-line.ts`. A message with an unknown time has no such line. */
const saidLine = /^\[\p{L}{3} (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) ([^\]\n]+)\] ([^\n]*?)(?: \([^()\n]*\))?:\n/u;

function readSaidBy(text: string): SaidBy | undefined {
  const [, date, time, zone, name] = saidLine.exec(text) ?? [];
  if (date === undefined || name === undefined) return undefined;
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });
  return { time: `${day.format(new Date(`${date}T00:00Z`))}, ${time} (${zone})`, name };
}

/** The last tool result since the latest answer, for a request without tools. */
export function lastResult(messages: readonly Message[]): ToolMessage | undefined {
  const answered = messages.findLastIndex(
    (message) => message.role === "assistant" && message.tool_calls.length === 0,
  );
  return messages.slice(answered + 1).findLast((message) => message.role === "tool");
}

/** The note of the turn loop between the beginning and the end of a text that was too long for the model. */
const cutNote = /\n\[cut: (\d+) characters[^\n]*\](?:\n|$)/;

/** The end of an object and the beginning of its long texts: `}`, a blank line, and the name of the first text. */
const firstText = /\}\n\n([\w-]{1,40}):\n/;

export interface ReadOutput {
  value: Json;
  /** The number of missing characters. */
  cut: number;
}

/** A text without the note, and the number of characters that the note says are missing. */
function withoutCutNote(text: string): { text: string; cut: number } {
  const { head, tail, cut } = splitAtCut(text);
  return { text: tail === "" ? head : `${head}\n${tail}`, cut };
}

function splitAtCut(text: string): { head: string; tail: string; cut: number } {
  const note = cutNote.exec(text);
  if (note === null) return { head: text, tail: "", cut: 0 };
  return {
    head: text.slice(0, note.index),
    tail: text.slice(note.index + note[0].length),
    cut: Number(note[1]),
  };
}

/** The text of a tool result as data. Cut JSON is completed from its beginning; other text stays text. */
export function readOutput(text: string): ReadOutput {
  const { head, tail, cut } = splitAtCut(text);
  const whole = withoutCutNote(text).text;
  if (!/^\s*(?:[{["]|-?\d|true|false|null)/.test(head)) return { value: whole, cut };
  const withText = readWithText(whole);
  if (withText !== undefined) return { value: withText, cut };
  const value = [head, ...(cut > 0 ? closed(head) : [])].map(parsedJson).find((each) => each !== undefined);
  return value === undefined ? { value: whole, cut } : { value: value as Json, cut: cut + tail.length };
}

/** The beginning of a JSON text with its open parts closed, and the same without its last, incomplete entry. */
function closed(json: string): string[] {
  const { ends, comma } = leftOpen(json);
  const whole = json.slice(0, comma);
  return [json + ends, whole + leftOpen(whole).ends];
}

/** A string, complete or not, or a bracket or comma. */
const jsonSigns = /"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)|[{}[\],]/g;

/** The text that would close the open strings, objects and lists of an incomplete JSON text, and the place of its last comma. */
function leftOpen(json: string): { ends: string; comma: number } {
  const ends: string[] = [];
  let comma = 0;
  for (const { 0: sign, 1: quote, index } of json.matchAll(jsonSigns)) {
    if (quote === "") ends.push('"');
    else if (sign === "{" || sign === "[") ends.push(sign === "{" ? "}" : "]");
    else if (sign === "}" || sign === "]") ends.pop();
    else if (sign === ",") comma = index;
  }
  return { ends: ends.toReversed().join(""), comma };
}

/** An object with the long texts that follow it, which are read as one text. */
function readWithText(text: string): Json | undefined {
  const found = /^\s*\{/.test(text) ? firstText.exec(text) : null;
  const [, name] = found ?? [];
  if (found === null || name === undefined) return undefined;
  const plain = parsedJson(text.slice(0, found.index + 1)) as JsonObject | undefined;
  return plain && { ...plain, [name]: text.slice(found.index + found[0].length) };
}

/** The message of a failed tool result, without its hint, which is for models. */
export function readError(text: string): string {
  const { value } = readOutput(text);
  if (!isRecord(value)) return String(value);
  return typeof value.error === "string" ? value.error : text;
}
