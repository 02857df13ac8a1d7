import { isContainer } from "../../base/record.ts";
import { type Json, type JsonSchema, objectOf } from "../../core/values/json.ts";

/** Keywords that constrained decoding takes as they are. */
const taken = new Set(["$ref", "title", "description", "default", "const", "enum", "type", "required"]);

/** Keywords it refuses and that words can say. */
const told = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "not", "format"],
]);

/** Keywords whose value is a schema or a list of them. */
const nested = new Set(["anyOf", "oneOf", "allOf", "items"]);

/** Keywords whose value is schemas by name. */
const named = new Set(["properties", "$defs", "definitions"]);

/** Values of `format` it knows. */
const formats: ReadonlySet<Json> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
]);

/**
 * A schema in the subset that `output_config.format` takes
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations): every object closed,
 * `oneOf` as `anyOf`, other constraints told in the description. Undefined for a schema that cannot be said so: objects with
 * any keys, tuples.
 */
export function closedSchema(schema: JsonSchema): JsonSchema | undefined {
  return isOpen(schema) ? undefined : close(schema);
}

function close(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema);
  const words = entries
    .filter(([keyword, value]) => told.has(keyword) && !isTaken(keyword, value))
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  const description = [schema.description, words.join("; ")].filter(Boolean).join("\n");
  return {
    ...Object.fromEntries(entries.flatMap(([keyword, value]) => closeKeyword(keyword, value))),
    ...(isObjectSchema(schema) ? { additionalProperties: false } : {}),
    ...(description === "" ? {} : { description }),
  };
}

/** None for a keyword that is refused. */
function closeKeyword(keyword: string, value: Json): [string, Json][] {
  if (isTaken(keyword, value)) return [[keyword, value]];
  if (nested.has(keyword)) return [[keyword === "oneOf" ? "anyOf" : keyword, closeAll(value)]];
  return named.has(keyword) ? [[keyword, closeNamed(value)]] : [];
}

function isTaken(keyword: string, value: Json): boolean {
  return taken.has(keyword) || (keyword === "format" && formats.has(value));
}

function closeNamed(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(objectOf(schemas)).map(([name, value]) => [name, closeAll(value)]),
  );
}

function closeAll(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeAll);
  return isContainer(value) ? close(value) : value;
}

/** Whether some object of a schema takes keys that it does not name, or some list is a tuple. */
function isOpen(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isOpen);
  if (!isContainer(value)) return false;
  const { additionalProperties = false, patternProperties, prefixItems, properties } = value;
  if (additionalProperties !== false || patternProperties !== undefined || prefixItems !== undefined) {
    return true;
  }
  if (isObjectSchema(value) && properties === undefined) return true;
  const { enum: _enum, const: _const, default: _default, required: _required, ...inner } = value;
  const parts = { ...inner, ...objectOf(properties), properties: null };
  return Object.values(parts).some(isOpen);
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined;
}
