import { parsedJson } from "../base/json-reader.ts";
import { isContainer, mapTexts } from "../base/record.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";
import type { Json } from "../core/values/json.ts";

/** The variables of one run, by name. */
export type Variables = ReadonlyMap<string, Json>;

/**
 * `${path}`, with optional spaces around the path. Keys in brackets may hold dots and braces. Lengths are limited so that matching
 * takes linear time.
 */
const placeholder = /\$\{((?:[^}[\n]|\[(?:"[^"]{0,200}"|'[^']{0,200}'|[^"'\]][^\]]{0,200})\]){1,500})\}/g;

/** `.name`, `[0]`, `["a.b"]`, `['a.b']` or `[a.b]`. */
const segment = /\.([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]|\[([^\]]+)\]/y;

/**
 * Replaces each `${path}` in a text: objects and arrays become JSON, other values text. A placeholder without a value, or with null, is
 * left unchanged. A `${…}` within a value is not replaced.
 * @throws SkillFailure `text_too_long`, as do all functions below
 */
export function substitute(text: string, variables: Variables): string {
  return fill(text, variables, asText);
}

/** The text with “…” in place of each `${path}`, so that it shows no values. */
export function withoutVariables(text: string): string {
  return text.replace(placeholder, "…");
}

/** `substitute` in every string of a value at any depth, but not in the keys of objects. */
export function substituteDeep(value: Json, variables: Variables): Json {
  return mapTexts(value, (text) => substitute(text, variables)) as Json;
}

/**
 * As `substituteDeep`, but a string that is exactly one placeholder becomes the value itself, with its type. Undefined if the whole
 * value is such a placeholder without a value.
 */
export function resolve(value: Json, variables: Variables): Json | undefined {
  if (typeof value === "string") {
    const path = wholePath(value);
    return path === undefined ? substitute(value, variables) : valueAt(path, variables);
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, variables) ?? item);
  if (!isContainer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolve(item, variables) ?? item] as const),
  );
}

/** The names of the variables that a value refers to. */
export function namesIn(value: Json): string[] {
  return placeholdersIn(JSON.stringify(value)).flatMap(({ path = "" }) => nameIn(path) || []);
}

/** A placeholder in a text. */
export interface Placeholder {
  written: string;
  /** Undefined for `{{name}}`, the syntax of other programs, which is never filled in. */
  path: string | undefined;
}

/** The placeholders in the JSON text of a value. */
export function placeholdersIn(json: string): Placeholder[] {
  const text = json.replaceAll('\\"', '"');
  const ours = [...text.matchAll(placeholder)].map(([written, path]) => ({ written, path }));
  const foreign = [...text.matchAll(/\{\{[\p{L}\p{N}_.\-[\] ]{1,200}\}\}/gu)];
  return [...ours, ...foreign.map(([written]) => ({ written, path: undefined }))];
}

/** Whether a placeholder is filled in: it has a value other than null. */
export function isFilled({ path }: Placeholder, variables: Variables): boolean {
  return path !== undefined && valueAt(path, variables) !== undefined;
}

/** The variable at the beginning of a path; empty for an invalid path. */
export function nameIn(path: string): string {
  return segmentsOf(path)?.[0]?.key ?? "";
}

/** The path of a text that is exactly one placeholder. */
export function wholePath(text: string): string | undefined {
  const [first] = text.matchAll(placeholder);
  return first?.[0] === text ? first[1] : undefined;
}

/**
 * `substitute` in JSON text. Within quotes a value is escaped as part of the string. Outside quotes it becomes a JSON value: numbers,
 * objects and text that is JSON keep their type, other text becomes a string.
 */
export function substituteJson(json: string, variables: Variables): string {
  let quote = "";
  return fill(
    json,
    variables,
    (value, before) => {
      quote = quoteAfter(before, quote);
      return quote === "" ? asJson(value) : escaped(asText(value));
    },
    (whole) => whole,
  );
}

/** The value at a path, through own properties only; undefined if there is none or it is null. */
function valueAt(path: string, variables: Variables): Json | undefined {
  const [name, ...keys] = segmentsOf(path) ?? [];
  if (name === undefined) return undefined;
  let value = variables.get(name.key);
  for (const { key, isIndex } of keys) {
    if (!isContainer(value)) return undefined;
    if ((isIndex && !Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key) as Json;
  }
  return value ?? undefined;
}

interface Segment {
  key: string;
  /** Written as `[0]`, which only applies to arrays. */
  isIndex: boolean;
}

function segmentsOf(path: string): Segment[] | undefined {
  const named = path.trim();
  const text = named.startsWith("[") ? named : `.${named}`;
  const found: Segment[] = [];
  let at = 0;
  while (at < text.length) {
    segment.lastIndex = at;
    const match = segment.exec(text);
    if (match === null) return undefined;
    const [whole, name, index, double, single, bare] = match;
    found.push({ key: name ?? index ?? double ?? single ?? bare ?? "", isIndex: index !== undefined });
    at += whole.length;
  }
  return found;
}

/** Maximum characters of a text: a few large values that occur often would fill the memory. */
const maxText = 8_000_000;

/** Replaces each placeholder. `render` also gets the text since the previous value, and the variable's name. */
export function fill(
  text: string,
  variables: Variables,
  render: (value: Json, before: string, name: string) => string,
  unresolved?: (whole: string) => Json,
): string {
  let filled = "";
  let between = "";
  let last = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, path = ""] = match;
    const literal = text.slice(last, match.index);
    const value = valueAt(path, variables) ?? unresolved?.(whole);
    between += value === undefined ? literal + whole : literal;
    filled += literal + (value === undefined ? whole : render(value, between, nameIn(path)));
    if (value !== undefined) between = "";
    if (filled.length > maxText) {
      const message = `A text would be longer than ${maxText} characters with its variables filled in.`;
      throw new SkillFailure("text_too_long", message, "Let the flow use smaller parts of its results.");
    }
    last = match.index + whole.length;
  }
  return filled + text.slice(last);
}

/** A value as text: objects and arrays as JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function asJson(value: Json): string {
  return typeof value === "string" && parsedJson(value) !== undefined ? value : JSON.stringify(value);
}

/** Escapes text for strings in double or single quotes, which lenient JSON allows. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll("'", "\\u0027");
}

/** The open quote after the text; empty if there is none. */
function quoteAfter(text: string, open: string): string {
  let quote = open;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\") at += 1;
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = "";
  }
  return quote;
}
