import type { z } from "zod";
import { nearestName } from "../base/text/nearest-name.ts";
import type { ConfigProblem } from "./config-error.ts";
import { configKeys, meaningAt, membersAt } from "./config-keys.ts";
import { type Layer, setter } from "./layer.ts";

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a section of settings",
  record: "a section of settings",
  undefined: "missing",
  null: "empty",
};

/** Plain messages for problems without a message in the schema. For `safeParse`, of settings and of what a command was given. */
export function plainError(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return wrongType(issue.expected, issue.input);
  if (issue.code === "too_small")
    return bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
  if (issue.code === "too_big")
    return bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
  if (issue.code === "invalid_format" && issue.format === "url")
    return `has to be an address that begins with https:// or http://, and is ${JSON.stringify(issue.input)}`;
  // Of several forms, the one that fits furthest says what is wrong: the entry of a list.
  if (issue.code === "invalid_union")
    return issue.errors.flat().toSorted((one, other) => other.path.length - one.path.length)[0]?.message;
  if (issue.code !== "invalid_value") return undefined;
  const choices = new Intl.ListFormat("en", { type: "disjunction" }).format(issue.values.map(String));
  return `has to be ${choices}, and is ${JSON.stringify(issue.input)}`;
}

function wrongType(expected: string, input: unknown): string {
  if (expected === "array" && /^(string|number)$/.test(typeof input))
    return `has to be a list: write [${input}]`;
  if (Number.isNaN(input)) return "has to be a number";
  if (typeof input === "number" && /^(number|int)$/.test(expected)) return "has to be a whole number";
  const is = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  const found = typeof input === "string" ? `the text ${JSON.stringify(input)}` : (kinds[is] ?? is);
  return `has to be ${kinds[expected] ?? expected}, and is ${found}`;
}

function bound(origin: string, how: string, limit: number | bigint): string {
  if (origin === "string" && how === "at least" && limit === 1) return "must not be empty";
  if (origin === "string") return `has to have ${how} ${limit} characters`;
  if (/^(array|set|object|record)$/.test(origin)) return `has to have ${how} ${limit} entries`;
  return `has to be ${how} ${limit}`;
}

/** The schema's problems with the merged layers, each at its source. */
export function schemaProblems(error: z.ZodError, layers: readonly Layer[]): ConfigProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => unknownKey([...issue.path, key], layers))
      : [wrongValue(issue, layers)],
  );
}

function wrongValue(issue: z.core.$ZodIssue, layers: readonly Layer[]): ConfigProblem {
  const nested = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return {
    where: whereIs(issue.path, layers),
    key: issue.path.join("."),
    message: nested ?? issue.message,
    hint: meaningOf(issue.path),
  };
}

function unknownKey(path: readonly PropertyKey[], layers: readonly Layer[]): ConfigProblem {
  const meant = suggest(path);
  return {
    where: whereIs(path, layers),
    key: path.join("."),
    message: "there is no such setting",
    hint: meant === undefined ? "`knack config` lists all settings" : `Did you mean ${meant}?`,
  };
}

/** The sibling with the most similar name, else a setting elsewhere whose last word is that name. */
function suggest(path: readonly PropertyKey[]): string | undefined {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const sibling = nearestName(name, membersAt(parent) ?? []);
  if (sibling !== undefined) return [...parent, sibling].join(".");
  const keys = configKeys().map((key) => key.path);
  const elsewhere = nearestName(name, [...new Set(keys.map((key) => key.at(-1) ?? ""))]);
  const key = keys.find((candidate) => candidate.join(".") === name || candidate.at(-1) === elsewhere);
  return key?.join(".");
}

function whereIs(path: readonly PropertyKey[], layers: readonly Layer[]): string {
  for (let length = path.length; length > 0; length--) {
    const layer = setter(layers, path.slice(0, length));
    if (layer !== undefined) return layer.source(path);
  }
  return "configuration";
}

function meaningOf(path: readonly PropertyKey[]): string | undefined {
  const meaning = meaningAt(path);
  return meaning && `Meaning: ${meaning}`;
}
