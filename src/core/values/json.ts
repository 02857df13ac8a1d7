import { ExactNumber, parseExactly } from "../../base/exact-number.ts";
import { isRecord } from "../../base/record.ts";

/** Any value that survives JSON: numbers that a double would change are exact ones. */
export type Json = string | number | ExactNumber | boolean | null | Json[] | JsonObject;

export type JsonObject = { [key: string]: Json };

/** A JSON Schema document (draft 2020-12 unless it says otherwise). */
export type JsonSchema = JsonObject;

/** The value if it is an object, else an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value as JSON has it and a store keeps it: without members that are undefined, its numbers with all their digits. */
export function toJson(value: unknown): Json {
  return parseExactly(JSON.stringify(value)) as Json;
}

/** The value for code that has doubles alone: a number that would lose digits becomes a text of them. */
export function withTexts(value: Json): Json {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]));
}

/** The JSON text of a value with object keys sorted, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (!isRecord(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Levels of nesting that are read of JSON from outside: requests and arguments of calls. What people and models mean has far fewer;
 * thousands exhaust the stack of whatever walks through them.
 */
export const maxJsonDepth = 100;

/** Values, and members of one object, that are read of JSON from outside: whoever checks and copies more holds up everybody else. */
const maxJsonValues = 100_000;
const maxMembers = 5_000;

/** The value of a JSON text. @throws SyntaxError when it is not JSON, or `sizeProblem` finds something */
export function parseJson(text: string): Json {
  const problem = sizeProblem(text);
  if (problem !== undefined) throw new SyntaxError(problem);
  return parseExactly(text) as Json;
}

/** Why JSON from outside is not read, whatever it says: too deep, or too many values. Takes linear time. */
export function sizeProblem(text: string): string | undefined {
  /** Commas of what is open; those of lists do not count. */
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
    const problem = tooMuch(open, values);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tooMuch(open: readonly number[], values: number): string | undefined {
  if (open.length > maxJsonDepth) return `it is nested more than ${maxJsonDepth} levels deep`;
  if ((open.at(-1) ?? 0) >= maxMembers) return `an object in it has more than ${inWords(maxMembers)} members`;
  return values > maxJsonValues ? `it has more than ${inWords(maxJsonValues)} values` : undefined;
}

const inWords = (count: number) => count.toLocaleString("en");

const signs: ReadonlySet<number> = new Set([..."[]{},"].map((sign) => sign.charCodeAt(0)));

/** The place of the next bracket or comma outside of strings; the length of the text where there is none. */
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
