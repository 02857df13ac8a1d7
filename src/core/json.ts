import { isRecord } from "../base/record.ts";

/** Any value that survives JSON. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

export type JsonObject = { [key: string]: Json };

/** A JSON Schema document (draft 2020-12 unless it says otherwise). */
export type JsonSchema = JsonObject;

/** The value if it is an object, else an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
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

/** Values that are read of JSON from outside: whoever checks, copies and stores more holds up everybody else. */
const maxJsonValues = 100_000;

/** The value of a JSON text. @throws SyntaxError when it is not JSON, nested deeper than `maxJsonDepth`, or has too many values */
export function parseJson(text: string): Json {
  const problem = sizeProblem(text);
  if (problem !== undefined) throw new SyntaxError(problem);
  return JSON.parse(text) as Json;
}

/** Why JSON from outside is not read, whatever it says: its depth or its number of values. */
export function sizeProblem(text: string): string | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ",") values += 1;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > maxJsonDepth) return `it is nested more than ${maxJsonDepth} levels deep`;
    if (values > maxJsonValues) return `it has more than ${maxJsonValues.toLocaleString("en")} values`;
  }
  return undefined;
}

/** Where the string ends that begins at `start`; brackets in it nest nothing. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
