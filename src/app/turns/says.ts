import { isContainer } from "../../base/record.ts";
import { escapeMarkup } from "../../core/values/json.ts";
import { factLine } from "../../core/values/profile.ts";

/** Shorter texts say too little to be looked for in what others said. */
const minLength = 8;

/**
 * Whether a text anywhere in a value has one of these facts in it, as it is, or as prompts and JSON have it. A short one is found only where
 * a prompt tells it as a fact.
 */
export function saysAny(value: unknown, facts: readonly string[]): boolean {
  return facts.length > 0 && has(value, facts.flatMap(formsOf));
}

function formsOf(text: string): string[] {
  if (text.length < minLength) return [factLine({ text, by: undefined }).slice("<fact".length)];
  return [...new Set([text, escapeMarkup(text), JSON.stringify(text).slice(1, -1)])];
}

function has(value: unknown, wanted: readonly string[]): boolean {
  if (typeof value === "string") return wanted.some((text) => value.includes(text));
  return isContainer(value) && Object.values(value).some((each) => has(each, wanted));
}
