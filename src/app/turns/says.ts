import { isContainer } from "../../base/record.ts";
import { escapeMarkup } from "../../core/values/json.ts";

/** Shorter texts are too common to be searched for in other people's texts. */
const minLength = 8;

/**
 * Whether any text in a value contains one of these facts, either verbatim or as escaped in prompts and JSON. A short fact is found only
 * where a prompt states it as a fact.
 */
export function saysAny(value: unknown, facts: readonly string[]): boolean {
  return facts.length > 0 && has(value, facts.flatMap(formsOf));
}

function formsOf(text: string): string[] {
  if (text.length < minLength) return [`>${escapeMarkup(text)}</fact>`];
  return [...new Set([text, escapeMarkup(text), JSON.stringify(text).slice(1, -1)])];
}

function has(value: unknown, wanted: readonly string[]): boolean {
  if (typeof value === "string") return wanted.some((text) => value.includes(text));
  return isContainer(value) && Object.values(value).some((each) => has(each, wanted));
}
