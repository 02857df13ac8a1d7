import { escapeMarkup } from "../../core/escape-markup.ts";

/** Shorter texts say too little to be looked for in what others said. */
const minLength = 8;

/** Whether a text anywhere in a value has one of these texts in it, as it is, or as prompts and JSON have it. */
export function saysAny(value: unknown, texts: readonly string[]): boolean {
  const wanted = texts.filter((text) => text.length >= minLength).flatMap(formsOf);
  return wanted.length > 0 && has(value, wanted);
}

function formsOf(text: string): string[] {
  return [...new Set([text, escapeMarkup(text), JSON.stringify(text).slice(1, -1)])];
}

function has(value: unknown, wanted: readonly string[]): boolean {
  if (typeof value === "string") return wanted.some((text) => value.includes(text));
  return (
    typeof value === "object" && value !== null && Object.values(value).some((each) => has(each, wanted))
  );
}
