import { z } from "zod";
import type { Parameter } from "../core/skill/skill.ts";
import { validateParameters } from "../core/skill/skill-identifier.ts";
import type { Validation } from "../core/skill/tool.ts";
import type { Json, JsonSchema } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";

const category = z.enum(["required", "optional", "static"]);

/**
 * A variable of a start block. `static` variables are fixed by the flow and never shown. AnythingLLM's key for the category is not
 * public, so both likely keys are read; any other value means optional.
 */
export const variableSchema = z
  .object({
    name: z.string(),
    value: jsonSchema.nullish(),
    description: z.string().nullish(),
    category: z.unknown().optional(),
    type: z.unknown().optional(),
    enum: z.array(jsonSchema).nullish().catch(undefined),
  })
  .transform(({ name, value, description, category: named, type, enum: allowed }) => ({
    name: name.trim(),
    value: value ?? "",
    description: description?.trim() || `Value for variable ${name.trim()}`,
    category: category.safeParse(named).data ?? category.safeParse(type).data ?? ("optional" as const),
    /** The allowed values; any value if there are none. */
    choices: (allowed ?? []).map(textOf),
  }));
export type FlowVariable = z.infer<typeof variableSchema>;

/** The parameters for callers, which are all text. */
export function parametersOfVariables(variables: readonly FlowVariable[]): Parameter[] {
  return variables
    .filter(({ category }) => category !== "static")
    .map(({ name, description, value, category, choices }) => ({
      name,
      type: "string",
      description,
      required: category === "required",
      ...(category === "required" || value === "" ? {} : { default: textOf(value) }),
      ...(choices.length === 0 ? {} : { enum: choices }),
    }));
}

export function schemaOfVariables(variables: readonly FlowVariable[]): JsonSchema {
  const parameters = parametersOfVariables(variables);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const properties = parameters.map(({ name, required: _, ...schema }) => [name, schema] as const);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as JsonSchema,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Arguments as text. Arguments for static variables are dropped, unknown ones are refused. */
export function validateArguments(variables: readonly FlowVariable[], input: unknown): Validation {
  const given = argumentsSchema.safeParse(input ?? {});
  if (!given.success) return { ok: false, message: "the arguments must be an object" };
  const fixed = fixedNames(variables);
  const texts = given.data
    .filter(([name, value]) => !fixed.has(name) && value !== null && value !== "")
    .map(([name, value]) => [name, textOf(value)] as const);
  // Defaults are no arguments: the flow's own values may go where those of others may not.
  const parameters = parametersOfVariables(variables).map(({ default: _, ...parameter }) => parameter);
  return validateParameters(parameters, Object.fromEntries(texts));
}

/** Pairs, because objects treat some names specially (`__proto__`). */
const argumentsSchema = z
  .custom<Record<string, unknown>>((input) => typeof input === "object" && !Array.isArray(input))
  .transform((input) => Object.entries(input))
  .pipe(z.array(z.tuple([z.string(), jsonSchema])));

/**
 * The variables at the start of a run, and the names of those that start with the value of the flow's file. An empty argument means the
 * default, as in AnythingLLM: models omit values in this way.
 */
export function startingValues(variables: readonly FlowVariable[], input: Json) {
  const given = new Map(argumentsSchema.catch([]).parse(input));
  return {
    values: new Map(variables.map(({ name, value }) => [name, given.get(name) || value])),
    own: new Set(variables.map(({ name }) => name).filter((name) => !given.get(name))),
  };
}

/** The names of the variables that the flow fixes. */
export function fixedNames(variables: readonly FlowVariable[]): Set<string> {
  return new Set(variables.filter((each) => each.category === "static").map(({ name }) => name));
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
