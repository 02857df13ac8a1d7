import { jsonrepair } from "jsonrepair";
import type { Json } from "../../core/json.ts";

/** The note the loop puts behind an output that was too long for the model. */
const cutNote = /\n\[cut: (\d+) more characters[^\n]*\]\s*$/;

export interface ReadOutput {
  value: Json;
  /** Characters that are not shown here. */
  cut: number;
}

/** A text without that note, and how many characters it says are missing. */
export function withoutCutNote(text: string): { text: string; cut: number } {
  const note = cutNote.exec(text.slice(-longestNote));
  if (note === null) return { text, cut: 0 };
  return { text: text.slice(0, text.length - note[0].length), cut: Number(note[1]) };
}

const longestNote = 400;

/** The text of a tool result as data. JSON that was cut is closed again; what is no JSON is a text. */
export function readOutput(text: string): ReadOutput {
  const { text: body, cut } = withoutCutNote(text);
  if (!/^\s*(?:[{["]|-?\d|true|false|null)/.test(body)) return { value: body, cut };
  for (const read of [JSON.parse, (json: string) => JSON.parse(jsonrepair(json))]) {
    try {
      return { value: read(body) as Json, cut };
    } catch {
      if (cut === 0) break;
    }
  }
  return { value: body, cut };
}

/** The error in a failed tool result: what happened and, if told, what to try. */
export function readError(text: string): { message: string; hint?: string } {
  const { value } = readOutput(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return { message: String(value) };
  const { error, hint } = value;
  const message = typeof error === "string" ? error : text;
  return typeof hint === "string" ? { message, hint } : { message };
}
