import type { z } from "zod";
import { nearestName } from "../base/nearest-name.ts";
import type { ConfigProblem } from "./config-error.ts";
import { configKeys, meaningAt, membersAt } from "./config-keys.ts";
import { type Layer, setter } from "./layer.ts";

/** What the schema has against the merged layers, each problem at the place that caused it. */
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
