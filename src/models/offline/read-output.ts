import { isRecord } from "../../base/record.ts";
import type { Json } from "../../core/values/json.ts";

/** The note the loop puts between the beginning and the end of a text that was too long for the model. */
const cutNote = /\n\[cut: (\d+) characters[^\n]*\](?:\n|$)/;

/** Where an object goes over into its long texts: `}`, a blank line, and the name of the first of them. */
const firstText = /\}\n\n([\w-]{1,40}):\n/;

export interface ReadOutput {
  value: Json;
  /** Characters that are not shown here. */
  cut: number;
}

/** A text without that note, and how many characters it says are missing. */
export function withoutCutNote(text: string): { text: string; cut: number } {
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

/** The text of a tool result as data. Of JSON that was cut the beginning is closed again; what is no JSON is a text. */
export function readOutput(text: string): ReadOutput {
  const { head, tail, cut } = splitAtCut(text);
  const whole = withoutCutNote(text).text;
  if (!/^\s*(?:[{["]|-?\d|true|false|null)/.test(head)) return { value: whole, cut };
  const withText = readWithText(whole);
  if (withText !== undefined) return { value: withText, cut };
  const value = [head, ...(cut > 0 ? closed(head) : [])].map(parsed).find((each) => each !== undefined);
  return value === undefined ? { value: whole, cut } : { value, cut: cut + tail.length };
}

function parsed(json: string): Json | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The beginning of a JSON text with what it left open closed; and the same without its last, unfinished entry. */
function closed(json: string): string[] {
  const { ends, comma } = leftOpen(json);
  const whole = json.slice(0, comma);
  return [json + ends, whole + leftOpen(whole).ends];
}

/** A string, with or without its end, and what opens, closes and separates. */
const jsonSigns = /"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)|[{}[\],]/g;

/** What would close the strings, objects and lists that the beginning of a JSON text leaves open; the place of its last comma. */
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

/** An object that is followed by its long texts, which are read as one. */
function readWithText(text: string): Json | undefined {
  const found = /^\s*\{/.test(text) ? firstText.exec(text) : null;
  const [, name] = found ?? [];
  if (found === null || name === undefined) return undefined;
  try {
    const plain = JSON.parse(text.slice(0, found.index + 1)) as { [key: string]: Json };
    return { ...plain, [name]: text.slice(found.index + found[0].length) };
  } catch {
    return undefined;
  }
}

/** What happened, of a failed tool result. Its hint is for models: people are not shown it. */
export function readError(text: string): string {
  const { value } = readOutput(text);
  if (!isRecord(value)) return String(value);
  return typeof value.error === "string" ? value.error : text;
}
