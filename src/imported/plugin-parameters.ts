import { isRecord } from "../base/record.ts";
import type { Parameter } from "../core/skill/skill.ts";
import type { Json, JsonSchema } from "../core/values/json.ts";

export interface PluginParameters {
  parameters: Parameter[];
  /** As a model is shown it: what plugin.json says, and a list of what is required. */
  schema: JsonSchema;
  /** What could not be read, one sentence each. */
  problems: string[];
}

const types: Readonly<Record<string, Parameter["type"] | "integer">> = {
  ...{ string: "string", text: "string", str: "string" },
  ...{ number: "number", float: "number", double: "number", integer: "integer", int: "integer" },
  ...{ boolean: "boolean", bool: "boolean", object: "object", array: "array", list: "array" },
};

/**
 * `entrypoint.params` of a plugin.json: names with JSON Schema properties, or, as some write it, a whole JSON Schema. AnythingLLM
 * requires none of them; here one is required that says `required: true` and has no default.
 */
export function readParameters(params: Json | undefined): PluginParameters {
  const problems: string[] = [];
  if (params !== undefined && params !== null && !isRecord(params)) {
    problems.push("entrypoint.params is no object, so the skill has no parameters.");
  }
  const given = isRecord(params) ? params : {};
  const schema = isRecord(given.properties) && given.type === "object" ? given.properties : undefined;
  const properties = schema ?? given;
  const required = new Set(schema !== undefined && Array.isArray(given.required) ? given.required : []);
  const read = Object.entries(properties).map(([name, value]) => {
    const property = readProperty(name, value, problems);
    const wanted = property.parameter.required || required.has(name);
    property.parameter.required = wanted && property.parameter.default === undefined;
    return property;
  });
  const names = read.filter(({ parameter }) => parameter.required).map(({ parameter }) => parameter.name);
  return {
    parameters: read.map(({ parameter }) => parameter),
    schema: {
      type: "object",
      properties: Object.fromEntries(read.map(({ parameter, schema }) => [parameter.name, schema])),
      ...(names.length > 0 ? { required: names } : {}),
      additionalProperties: false,
    },
    problems,
  };
}

function readProperty(
  name: string,
  value: Json,
  problems: string[],
): { parameter: Parameter; schema: JsonSchema } {
  if (!isRecord(value) && typeof value !== "string") {
    problems.push(`The parameter ${name} is neither an object nor text; it is taken for text.`);
  }
  const { required, ...raw } = isRecord(value) ? value : { description: value };
  const type = typeOf(name, raw.type, problems);
  const description = typeof raw.description === "string" ? raw.description : "";
  const choices = Array.isArray(raw.enum) && raw.enum.length > 0 ? { enum: raw.enum } : {};
  if (raw.enum !== undefined && choices.enum === undefined) {
    problems.push(`The choices (enum) of the parameter ${name} are no list and are left out.`);
  }
  const preset = raw.default === undefined || raw.default === null ? {} : { default: raw.default };
  const { enum: _enum, default: _default, ...rest } = raw;
  return {
    parameter: {
      ...{ name, description, type: type === "integer" ? "number" : type },
      ...{ required: required === true, ...preset, ...choices },
    },
    schema: {
      ...rest,
      ...{ type, description, ...choices, ...preset },
      // Some providers refuse arrays that do not say what they hold.
      ...(type === "array" && raw.items === undefined ? { items: {} } : {}),
    },
  };
}

function typeOf(name: string, written: unknown, problems: string[]): Parameter["type"] | "integer" {
  const all = Array.isArray(written) ? written : [written];
  const known = all.map((each) => types[String(each).toLowerCase()]).find((each) => each !== undefined);
  if (known === undefined && written !== undefined) {
    problems.push(
      `The parameter ${name} has the unknown type ${JSON.stringify(written)}; it is taken for text.`,
    );
  }
  return known ?? "string";
}
