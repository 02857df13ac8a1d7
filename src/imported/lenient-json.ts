import { jsonrepair } from "jsonrepair";
import type { Json } from "../core/json.ts";

export type JsonObject = { [key: string]: Json };

/** Characters; the repair of longer text that is far from JSON may take minutes (jsonrepair 3 takes quadratic time on some). */
const longestRepaired = 20_000;

/**
 * The object a text holds: JSON; where the text is short, JSON with comments, trailing commas and the like; or the first of these with
 * other text around it. `repaired` says that it was not plain JSON.
 */
export function readJsonObject(text: string): { value: JsonObject; repaired: boolean } | undefined {
  const source = text.replace(/^\uFEFF/, "");
  const inner = source.slice(Math.max(0, source.indexOf("{")), source.lastIndexOf("}") + 1);
  const repair = (json: string): unknown => JSON.parse(jsonrepair(json));
  const readers = source.length > longestRepaired ? [JSON.parse] : [JSON.parse, repair];
  for (const candidate of [source, inner]) {
    for (const [at, read] of readers.entries()) {
      const value = attempt(read, candidate);
      if (isObject(value)) return { value, repaired: at > 0 || candidate !== source };
    }
  }
  return undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function attempt(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch {
    // The next reader is more lenient; undefined after the last.
    return undefined;
  }
}
