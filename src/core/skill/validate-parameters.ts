import { ExactNumber } from "../../base/exact-number.ts";
import { nearestNames } from "../../base/nearest-name.ts";
import { isRecord } from "../../base/record.ts";
import { canonicalJson, type Json, type JsonObject } from "../values/json.ts";
import type { Parameter } from "./parameter.ts";
import type { Validation } from "./tool.ts";

/** Unknown parameters that a message names. */
const mostNamed = 20;

/**
 * Checks arguments against parameters: unknown names, what is required, types and choices; then defaults are applied. A null means
 * that an argument was left out, as models write it. The message names everything that is wrong.
 */
export function validateParameters(parameters: readonly Parameter[], input: unknown): Validation {
  const given = input ?? {};
  if (!isRecord(given)) return { ok: false, message: "the arguments must be an object" };
  const values = new Map(Object.entries(given as JsonObject).filter(([, value]) => value !== null));
  const names = parameters.map(({ name }) => name);
  const strangers = [...values.keys()].filter((name) => !names.includes(name));
  const problems = strangers.slice(0, mostNamed).map((name) => unknown(name, names));
  if (strangers.length > mostNamed) problems.push(`${strangers.length - mostNamed} more are unknown`);
  for (const parameter of parameters) {
    const problem = problemOf(parameter, values.get(parameter.name));
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) return { ok: false, message: problems.join("; ") };
  const complete = parameters.flatMap(({ name, default: preset }) => {
    const value = values.get(name) ?? preset;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ok: true, value: Object.fromEntries(complete) };
}

function unknown(name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  return `unknown parameter ${name}${advice} (known: ${known.join(", ") || "none"})`;
}

function problemOf(parameter: Parameter, value: Json | undefined): string | undefined {
  const { name, type, required, default: preset, enum: choices } = parameter;
  if (value === undefined) {
    return required && preset === undefined ? `${name} is required (${type})` : undefined;
  }
  const actual = Array.isArray(value) ? "array" : value instanceof ExactNumber ? "number" : typeof value;
  if (actual !== type) return `${name} must be of the type ${type}, not ${actual}`;
  if (choices === undefined || choices.some((each) => canonicalJson(each) === canonicalJson(value)))
    return undefined;
  return `${name} must be one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`;
}
