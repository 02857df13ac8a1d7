import { z } from "zod";
import type { Json, JsonSchema } from "../core/json.ts";
import type { Parameter } from "../core/parameter.ts";
import { nearest } from "../core/skill-identifier.ts";
import type { Validation } from "../core/tool.ts";

const category = z.enum(["required", "optional", "static"]);

/**
 * A variable of a start block. `static` ones are fixed by the flow and shown to nobody. AnythingLLM's name for the category's
 * key is not public, so both likely ones are read; what is no category means optional.
 */
export const variableSchema = z
  .object({
    name: z.string(),
    value: z.json().nullish(),
    description: z.string().nullish(),
    category: z.unknown().optional(),
    type: z.unknown().optional(),
  })
  .transform(({ name, value, description, category: named, type }) => ({
    name: name.trim(),
    value: value ?? "",
    description: description?.trim() || `Value for variable ${name.trim()}`,
    category: category.safeParse(named).data ?? category.safeParse(type).data ?? ("optional" as const),
  }));
export type FlowVariable = z.infer<typeof variableSchema>;

/** What callers may give, all of it text. */
export function parametersOfVariables(variables: readonly FlowVariable[]): Parameter[] {
  return shown(variables).map(({ name, description, value, category }) => ({
    name,
    type: "string",
    description,
    required: category === "required",
    ...(category === "required" || value === "" ? {} : { default: textOf(value) }),
  }));
}

export function schemaOfVariables(variables: readonly FlowVariable[]): JsonSchema {
  const parameters = parametersOfVariables(variables);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const properties = parameters.map(
    ({ name, type, description, default: preset }) =>
      [name, { type, description, ...(preset === undefined ? {} : { default: preset }) }] as const,
  );
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Arguments as text. Those for static variables are dropped, unknown ones refused. */
export function validateArguments(variables: readonly FlowVariable[], input: unknown): Validation {
  const given = z.record(z.string(), z.json()).safeParse(input ?? {});
  if (!given.success) return { ok: false, message: "the arguments must be an object" };
  const fixed = new Set(variables.filter((each) => each.category === "static").map(({ name }) => name));
  const known = shown(variables);
  const names = known.map(({ name }) => name);
  const entries = Object.entries(given.data).filter(([name, value]) => !fixed.has(name) && value !== null);
  const unknown = entries.find(([name]) => !names.includes(name));
  if (unknown !== undefined) return { ok: false, message: unknownParameter(unknown[0], names) };
  const values = new Map(entries.map(([name, value]) => [name, textOf(value)]));
  const missing = known.find(({ name, category }) => category === "required" && !values.get(name));
  if (missing !== undefined) return { ok: false, message: `${missing.name} is required (string)` };
  return { ok: true, value: Object.fromEntries(values) };
}

/** The variables a run begins with. An empty argument means the default, as in AnythingLLM: models leave things out that way. */
export function startingValues(variables: readonly FlowVariable[], input: Json): Map<string, Json> {
  const given = new Map(Object.entries(z.record(z.string(), z.string()).catch({}).parse(input)));
  return new Map(variables.map(({ name, value }) => [name, given.get(name) || value]));
}

function shown(variables: readonly FlowVariable[]): FlowVariable[] {
  return variables.filter(({ category }) => category !== "static");
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function unknownParameter(name: string, known: readonly string[]): string {
  const [near] = nearest(name, known);
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  return `unknown parameter ${name}${advice} (known: ${known.join(", ") || "none"})`;
}
