import { isContainer } from "../base/record.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";
import type { Json } from "../core/values/json.ts";

/** The variables of one run, by name. */
export type Variables = ReadonlyMap<string, Json>;

/**
 * `${path}`, with blanks around the path or without; bracketed keys may hold dots and braces. Lengths are bounded so that no text takes more than linear time.
 */
const placeholder = /\$\{((?:[^}[\n]|\[(?:"[^"]{0,200}"|'[^']{0,200}'|[^"'\]][^\]]{0,200})\]){1,500})\}/g;

/** `.name`, `[0]`, `["a.b"]`, `['a.b']` or `[a.b]`. */
const segment = /\.([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]|\[([^\]]+)\]/y;

/**
 * The text with each `${path}` replaced: objects and arrays as JSON, other values as text. What leads nowhere, or to null, is
 * left as it stands. Values are not looked at again, so a `${…}` in one of them stays.
 * @throws SkillFailure `text_too_long`, as all below
 */
export function substitute(text: string, variables: Variables): string {
  return fill(text, variables, asText);
}

/** The text as it was written, with “…” for each `${path}`: what variables hold does not stand in it. */
export function withoutVariables(text: string): string {
  return text.replace(placeholder, "…");
}

/** `substitute` in every string of a value, however deep; never in the keys of objects. */
export function substituteDeep(value: Json, variables: Variables): Json {
  if (typeof value === "string") return substitute(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituteDeep(item, variables));
  if (!isContainer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substituteDeep(item, variables)] as const),
  );
}

/**
 * As `substituteDeep`, but a string that is one placeholder and nothing else becomes the value itself, with its type; undefined when
 * the whole value is such a placeholder and leads nowhere.
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

/** The names of the variables a value refers to. */
export function namesIn(value: Json): string[] {
  return placeholdersIn(JSON.stringify(value)).flatMap(({ path = "" }) => nameIn(path) || []);
}

/** What stands in a text for a value. */
export interface Placeholder {
  written: string;
  /** None of `{{name}}`, which other programs write: it is never filled in. */
  path: string | undefined;
}

/** The placeholders in the JSON text of a value. */
export function placeholdersIn(json: string): Placeholder[] {
  const text = json.replaceAll('\\"', '"');
  const ours = [...text.matchAll(placeholder)].map(([written, path]) => ({ written, path }));
  const foreign = [...text.matchAll(/\{\{[\p{L}\p{N}_.\-[\] ]{1,200}\}\}/gu)];
  return [...ours, ...foreign.map(([written]) => ({ written, path: undefined }))];
}

/** Whether it is filled in; what leads nowhere, or to null, is not. */
export function isFilled({ path }: Placeholder, variables: Variables): boolean {
  return path !== undefined && valueAt(path, variables) !== undefined;
}

/** The variable a path begins with; empty for a path that leads nowhere. */
export function nameIn(path: string): string {
  return segmentsOf(path)?.[0]?.key ?? "";
}

/** The path of a text that is one placeholder and nothing else. */
export function wholePath(text: string): string | undefined {
  const [first] = text.matchAll(placeholder);
  return first?.[0] === text ? first[1] : undefined;
}

/**
 * `substitute` in JSON text. Between quotes a value is escaped as part of that string. Outside of them it is a JSON value of
 * its own: numbers, objects and text that is JSON keep their type, other text becomes a string.
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

/** The value a path leads to, own properties only; undefined when it leads nowhere or to null. */
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
  /** Written `[0]`: for arrays alone. */
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

/** Characters; a few large values named often would fill the memory. */
const maxText = 8_000_000;

/** Replaces each placeholder; `render` also gets what stands between it and the value it rendered before, and the variable's name. */
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

/** How a value stands in a text: objects and arrays as JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function asJson(value: Json): string {
  return typeof value === "string" && isJson(value) ? value : JSON.stringify(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fit for strings in either quote: lenient JSON has single ones. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll("'", "\\u0027");
}

/** The quote that is open after the text, empty when none is. */
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
