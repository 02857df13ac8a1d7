import { jsonrepair } from "jsonrepair";
import { readJson } from "../../base/json-reader.ts";
import { pattern } from "../../base/pattern.ts";
import type { Parameter } from "../../core/skill/skill.ts";
import type { Json } from "../../core/values/json.ts";
import type { RequestText } from "./request-text.ts";
import { readCharacters, stemsOf, type Token } from "./vocabulary.ts";

/** A value written with its name: `max_steps=5`, `max steps: 5`, `title="The house"`. */
export function named(request: RequestText, { name }: Parameter): { text: string } | undefined {
  const spelled = name
    .split(/[_\s-]+/)
    .map((word) => pattern()`${word}`)
    .reduce((words, word) => pattern()`${words}[_ -]?${word}`);
  const written = pattern(
    "iu",
  )`(?<![\p{L}\p{N}_])${spelled}\s*=\s*(?:"([^"]*)"|“([^”]*)”|\[([^\]]*)\]|([^\s,;]+))`;
  const found = written.exec(request.whole.slice(0, readCharacters));
  const text = found?.slice(1).find((part) => part !== undefined);
  return text === undefined ? undefined : { text: text.replace(/(?<![:.!?])[:.!?]+$/, "") };
}

/** The allowed value the message names, by the value's own words or by what the description says about it. */
export function findChoice(request: RequestText, parameter: Parameter): Json | undefined {
  const allowed = parameter.enum ?? [];
  const given = named(request, parameter)?.text.toLowerCase();
  const exact = allowed.find((value) => String(value).toLowerCase() === given);
  if (exact !== undefined) return exact;
  const stems = new Set(request.tokens.map((token) => token.stem));
  const words = request.tokens.map((token) => token.plain).join(" ");
  const byName = allowed.find((value) => {
    const own = [...stemsOf(String(value).replaceAll("_", " "))];
    return own.length > 0
      ? own.every((stem) => stems.has(stem))
      : ` ${words} `.includes(` ${String(value).toLowerCase()} `);
  });
  if (byName !== undefined) return byName;
  const scored = allowed.map((value) => ({ value, hits: hits(stems, meaningOf(value, parameter)) }));
  const [best] = scored.sort((a, b) => b.hits - a.hits);
  return best !== undefined && best.hits > 0 ? best.value : undefined;
}

/** What a description says about one of the values: `sentiment: mood, tone; statistics: counts`. */
function meaningOf(value: Json, { description, enum: allowed = [] }: Parameter): ReadonlySet<string> {
  const at = description.toLowerCase().indexOf(`${String(value).toLowerCase()}:`);
  if (at < 0) return new Set();
  const rest = description.slice(at + String(value).length + 1);
  const ends = allowed
    .map((other) => rest.toLowerCase().indexOf(`${String(other).toLowerCase()}:`))
    .filter((end) => end >= 0);
  return stemsOf(rest.slice(0, Math.min(rest.length, ...ends)));
}

function hits(stems: ReadonlySet<string>, meaning: ReadonlySet<string>): number {
  return [...meaning].filter((stem) => stems.has(stem)).length;
}

/** True when a word of the flag's name is said, false when it is said with a `not`. */
export function findBoolean(request: RequestText, parameter: Parameter): boolean | undefined {
  const given = named(request, parameter)?.text.toLowerCase();
  if (given !== undefined) return !["false", "no", "off", "0"].includes(given);
  const stems = stemsOf(parameter.name.replaceAll("_", " "));
  const at = request.tokens.findIndex((token) => stems.has(token.stem));
  if (at < 0) return undefined;
  const before = request.tokens.slice(Math.max(0, at - 2), at).map((token) => token.plain);
  return !before.some((word) => /^(?:not|no|without|don't|never)$/.test(word));
}

/** A number that stands beside a word of the parameter: `in 5 steps`, `fact 3`. The only number, when it is required. */
export function findNumber(request: RequestText, parameter: Parameter): number | undefined {
  const given = Number(named(request, parameter)?.text);
  if (Number.isFinite(given)) return given;
  const read = request.whole.slice(0, readCharacters);
  const numbers = [...read.matchAll(/(?<![\p{L}\d.:/-])-?\d+(?:\.\d+)?(?![\p{L}\d:/-]|\.\d)/gu)];
  const words = stemsOf(`${parameter.name.replaceAll("_", " ")} ${parameter.description}`);
  const beside = [...numbers, ...read.matchAll(numberWord)].find((match) => {
    const { before, after } = neighbours(request.tokens, match.index);
    return [before, after].some((token) => token !== undefined && words.has(token.stem));
  });
  const [only, ...others] = numbers;
  const chosen = beside ?? (parameter.required && others.length === 0 ? only : undefined);
  if (chosen === undefined) return undefined;
  const inWords = numberWords.indexOf(chosen[0].toLowerCase());
  return inWords < 0 ? Number(chosen[0]) : inWords;
}

/** Each at the index that it names. */
const numberWords = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const numberWord = /\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/gi;

function neighbours(
  tokens: readonly Token[],
  at: number,
): { before: Token | undefined; after: Token | undefined } {
  const index = tokens.findIndex((token) => token.end > at);
  return index < 0
    ? { before: undefined, after: undefined }
    : { before: tokens[index - 1], after: tokens[index + 1] };
}

/** `notes.txt` is a file and no host. */
const fileEnding = /^[^/]*\.(?:txt|pdf|csv|docx?|xlsx?|pptx?|json|xml|png|jpe?g|gif|zip|ya?ml|html?|log)$/i;

/** The first address; a bare host (`example.com/docs`) becomes https. */
export function findUrl({ urls, whole }: RequestText): string | undefined {
  const bare =
    /(?<![\p{L}\p{N}@./])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?:\/[^\s"'<>]*)?(?![\p{L}\p{N}@])/iu;
  const host = bare.exec(whole.slice(0, readCharacters))?.[0].replace(/(?<![.,;:!?])[.,;:!?]+$/, "");
  return urls[0] ?? (host === undefined || fileEnding.test(host) ? undefined : `https://${host}`);
}

/** A date as it was written. */
export function findDate({ whole }: RequestText): string | undefined {
  const pattern =
    /\b(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2}\/\d{2,4}|today|tomorrow|yesterday|(?:next |last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b/i;
  return pattern.exec(whole.slice(0, readCharacters))?.[0];
}

/** Whether a parameter takes a date, by its name. */
export function isDateName(name: string): boolean {
  return /(?:^|_)(?:date|day|since|until|when|deadline|due)$/i.test(name);
}

/** A JSON object or list within a text. */
export function findJson(text: string, kind: "object" | "array"): Json | undefined {
  const [open, close] = kind === "object" ? ["{", "}"] : ["[", "]"];
  const start = text.indexOf(open ?? "");
  const end = text.lastIndexOf(close ?? "");
  if (start < 0 || end < start) return undefined;
  const read = readJson(text.slice(start, end + 1), jsonrepair);
  if (!read.ok || typeof read.value !== "object" || read.value === null) return undefined;
  return Array.isArray(read.value) === (kind === "array") ? (read.value as Json) : undefined;
}
