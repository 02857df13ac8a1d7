import type { z } from "zod";
import { nearestNames } from "../../base/text/nearest-name.ts";

/** Maximum mistakes of a kind that are listed one by one. */
const maxListed = 20;

/** The errors in the arguments of a tool, in one line for a model or a person, each parameter by name. */
export function describeIssues(error: z.ZodError, input: unknown, known: readonly string[]): string {
  return fewer(error.issues, (issue) => describeIssue(issue, input, known));
}

/** Only the first errors are listed, even if there are a hundred thousand. */
function fewer<T>(all: readonly T[], describe: (one: T) => string): string {
  const rest = all.length - maxListed;
  return [...all.slice(0, maxListed).map(describe), ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown, known: readonly string[]): string {
  const name = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return fewer(issue.keys, (key) => unknownKey(key, issue.path.length === 0 ? known : [], name));
  }
  const value = valueAt(input, issue.path);
  if (value === undefined) {
    return name === "" ? "the arguments are missing" : `${name} is required${expectation(issue)}`;
  }
  if (issue.code === "invalid_type") {
    return `${name || "the arguments"} must be ${withArticle(issue.expected)}, not ${withArticle(typeOf(value))}`;
  }
  if (issue.code === "invalid_value") {
    return `${name} must be one of ${issue.values.map((each) => JSON.stringify(each)).join(", ")}`;
  }
  return `${name || "the arguments"}: ${issue.message}`;
}

function unknownKey(key: string, known: readonly string[], parent: string): string {
  const [near] = nearestNames(key, known);
  const place = parent === "" ? "" : ` in ${parent}`;
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  const all = known.length === 0 ? "" : ` (known: ${known.join(", ")})`;
  return `unknown parameter ${key}${place}${advice}${all}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return ` (${issue.expected})`;
  if (issue.code === "invalid_value")
    return ` (${issue.values.map((each) => JSON.stringify(each)).join(", ")})`;
  return "";
}

/** `items[0].name` */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function withArticle(type: string): string {
  if (type === "null") return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
