import { parseExactly } from "../../base/exact-number.ts";
import { isContainer, isRecord } from "../../base/record.ts";
import type { Json } from "./json.ts";
import { countLineBreaks } from "./text-part.ts";

/** JSON of up to so many characters stays on one line, as do values within longer JSON up to the second number. */
const shortJson = 1_000;
const shortValue = 120;
/** Values nested deeper than this stay on one line. */
const deepest = 8;
/** A text of several lines with at least this many characters is written as it is, behind the other values. */
const longText = 200;
/** JSON text with longer lines on average is laid out anew; characters. */
const denseLine = 200;

/**
 * JSON as a model reads it: one value a line when it is long, so that a part of it and a search in it make sense. The long texts
 * of an object come last, under their names and without escapes: its plain values say first what they are. Of an object with nothing else, the text is all.
 */
export function readableJson(value: Json): string {
  if (!isRecord(value)) return jsonText(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const [only] = members.length === 1 ? members : [];
  if (typeof only?.[1] === "string" && only[1].includes("\n")) return only[1];
  const texts = members.filter(([name, member]) => name !== "error" && isLongText(member));
  if (texts.length === 0) return jsonText(value);
  const named = new Set(texts.map(([name]) => name));
  const rest = members.filter(([name]) => !named.has(name));
  return [...(rest.length === 0 ? [] : [jsonText(Object.fromEntries(rest))]), ...texts.map(block)].join(
    "\n\n",
  );
}

/** The same for a text that is JSON written in long lines; undefined for any other text. */
export function readableJsonText(text: string): string | undefined {
  if (text.length <= shortJson || !/^\s*[[{]/.test(text)) return undefined;
  if (countLineBreaks(text) > text.length / denseLine) return undefined;
  try {
    return readableJson(parseExactly(text) as Json);
  } catch {
    return undefined;
  }
}

function isLongText(value: Json): boolean {
  return typeof value === "string" && value.length >= longText && value.includes("\n");
}

function block([name, text]: [string, Json]): string {
  return `${name}:\n${String(text)}`;
}

function jsonText(value: Json): string {
  const compact = compactJson(value);
  return compact.length <= shortJson ? compact : laidOut(value, 0);
}

function laidOut(value: Json, depth: number): string {
  const compact = compactJson(value);
  if (compact.length <= shortValue || !isContainer(value) || depth >= deepest) {
    return compact;
  }
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((member) => laidOut(member, depth + 1))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}:${laidOut(member, depth + 1)}`);
  const indent = " ".repeat(depth + 1);
  return `${open}\n${members.map((member) => indent + member).join(",\n")}\n${" ".repeat(depth)}${close}`;
}

/** What came past the types and is no JSON counts as null, as within JSON. */
function compactJson(value: Json | undefined): string {
  return value === undefined ? "null" : JSON.stringify(value);
}
