import { ExactNumber, parseExactly } from "../../base/exact-number.ts";
import { isContainer, isRecord } from "../../base/record.ts";

/** Any value that survives JSON. Numbers that a double would change are exact numbers. */
export type Json = string | number | ExactNumber | boolean | null | Json[] | JsonObject;

export type JsonObject = { [key: string]: Json };

/** A JSON Schema document (draft 2020-12 by default). */
export type JsonSchema = JsonObject;

/** The value if it is an object, otherwise an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value in the form that JSON and stores keep it: without undefined members, and with all digits of its numbers. */
export function toJson(value: unknown): Json {
  return parseExactly(JSON.stringify(value)) as Json;
}

/** The value for code that only has doubles: a number that would lose digits becomes a text. */
export function withTexts(value: Json): Json {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]));
}

/** The JSON text of a value with sorted object keys, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (!isRecord(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Maximum nesting of JSON from outside: requests and arguments of calls. Real data has far fewer levels; thousands of them exhaust the
 * stack of recursive code.
 */
export const maxJsonDepth = 100;

/** Maximum values, and members of one object, in JSON from outside: checking and copying more would block all other work. */
const maxJsonValues = 100_000;
const maxMembers = 5_000;

/** The value of a JSON text. @throws SyntaxError if it is not JSON or exceeds a limit of `sizeProblem` */
export function parseJson(text: string): Json {
  const problem = sizeProblem(text);
  if (problem !== undefined) throw new SyntaxError(problem);
  return parseExactly(text) as Json;
}

/** Why JSON from outside is refused, whatever its content: too deep, or too many values. Takes linear time. */
export function sizeProblem(text: string): string | undefined {
  /** Commas of each open container; those of lists do not count. */
  const open: number[] = [];
  let values = 1;
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, at + 1)) {
    const sign = text[at];
    if (sign === "{") open.push(0);
    else if (sign === "[") open.push(Number.NEGATIVE_INFINITY);
    else if (sign !== ",") open.pop();
    else {
      values += 1;
      open.push((open.pop() ?? 0) + 1);
    }
    const problem = limitProblem(open, values);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function limitProblem(open: readonly number[], values: number): string | undefined {
  if (open.length > maxJsonDepth) return `it is nested more than ${maxJsonDepth} levels deep`;
  if ((open.at(-1) ?? 0) >= maxMembers) return `an object in it has more than ${inWords(maxMembers)} members`;
  return values > maxJsonValues ? `it has more than ${inWords(maxJsonValues)} values` : undefined;
}

const inWords = (count: number) => count.toLocaleString("en");

const signs: ReadonlySet<number> = new Set([..."[]{},"].map((sign) => sign.charCodeAt(0)));

/** The position of the next bracket or comma outside strings; the length of the text if there is none. */
function nextSign(text: string, from: number): number {
  let isString = false;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) isString = !isString;
    else if (isString) at += code === 0x5c ? 1 : 0;
    else if (signs.has(code)) return at;
  }
  return text.length;
}

/** JSON of up to `shortJson` characters stays on one line. In longer JSON, values of up to `shortValue` characters do. */
const shortJson = 1_000;
const shortValue = 120;
/** Values nested deeper than this stay on one line. */
const maxLayoutDepth = 8;
/** A multi-line text with at least this many characters is written unescaped after the other values. */
const longText = 200;
/** JSON text with a longer average line is reformatted; characters. */
const denseLine = 200;

/**
 * JSON as a model reads it. Long JSON has one value per line, so that parts of it and searches in it make sense. The long texts of an
 * object come last, under their names and without escapes; its short values come first and say what the object is. If an object has only
 * one such text, the result is that text.
 */
function readableJson(value: Json): string {
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

/**
 * An output as text: a string unchanged, unless it is JSON in few lines, and anything else as `readableJson`. Offsets of `read_file` refer to
 * this text.
 */
export function outputText(output: Json): string {
  if (typeof output !== "string") return readableJson(output);
  if (output.length <= shortJson || !/^\s*[[{]/.test(output)) return output;
  if (countLineBreaks(output) > output.length / denseLine) return output;
  try {
    return readableJson(parseExactly(output) as Json);
  } catch {
    return output;
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
  if (compact.length <= shortValue || !isContainer(value) || depth >= maxLayoutDepth) {
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

/** A value that is not JSON despite its type counts as null, as it does within JSON. */
function compactJson(value: Json | undefined): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

/** Number of line breaks between two positions. */
export function countLineBreaks(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Text that cannot open or close a tag of a prompt. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Maximum tools that are named where a model gets the definitions of all of them anyway. */
const maxNamed = 5;

/** The names of tools for a sentence: all if they are few, otherwise the first ones. */
export function namesInWords(names: readonly string[]): string {
  if (names.length <= maxNamed + 1) return names.join(", ");
  return `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`;
}

/** The JSON object in the words; undefined for text, which may begin with a brace too. */
export function objectIn(words: string): JsonObject | undefined {
  if (!words.startsWith("{")) return undefined;
  try {
    return objectOf(parseJson(words));
  } catch {
    return undefined;
  }
}
