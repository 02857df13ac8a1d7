import { ExactNumber, parseExactly } from "../../base/exact-number.ts";
import { isContainer, isRecord } from "../../base/record.ts";
import { type Json, type JsonSchema, parseJson } from "../values/json.ts";

/**
 * Arguments brought to the types that a tool's schema asks for, where nothing is lost by it: models write `"1"` for a number,
 * `35.7` for a text, `"true"` for a boolean, and JSON text for an object or a list. A required property that is missing and has
 * a default gets it. Everything else stays as it is, for the tool's own check to accept or refuse.
 *
 * @param schema the tool's parameters; local references (`#/$defs/…`) are followed
 */
export function fitArguments(schema: JsonSchema, input: unknown): unknown {
  return fitted(schema, input, schema);
}

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

function fitted(written: JsonSchema, value: unknown, root: JsonSchema): unknown {
  const choices = alternatives(written, root);
  const fitting = choices.find((schema) => accepts(schema, value));
  if (fitting !== undefined) return fitInside(fitting, value, root);
  for (const schema of choices) {
    for (const type of typesOf(schema)) {
      const converted = convert(value, type);
      if (converted !== undefined && accepts(schema, converted)) return fitInside(schema, converted, root);
    }
  }
  return value;
}

/** The schemas of which one has to fit, with references followed. */
function alternatives(written: JsonSchema, root: JsonSchema): JsonSchema[] {
  const schema = resolved(written, root);
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return [schema];
  return branches.flatMap((branch) => (isRecord(branch) ? [resolved(branch, root)] : []));
}

/** References in a row that are followed; more is a circle. */
const maxReferences = 10;

function resolved(written: JsonSchema, root: JsonSchema): JsonSchema {
  let schema = written;
  for (let followed = 0; typeof schema.$ref === "string" && followed < maxReferences; followed += 1) {
    if (!schema.$ref.startsWith("#/")) return schema;
    const names = schema.$ref.slice(2).split("/").map(unescapedName);
    let target: Json | undefined = root;
    for (const name of names) target = isRecord(target) ? target[name] : undefined;
    if (!isRecord(target)) return schema;
    schema = target;
  }
  return schema;
}

function unescapedName(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The types a schema names, or those of its choices; empty when it says nothing of types. */
function typesOf({ type, enum: choices, const: only }: JsonSchema): JsonType[] {
  const named = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (named.length > 0) return named as JsonType[];
  const values = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  return [...new Set(values.map(typeOf))];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (value instanceof ExactNumber) return "number";
  return Array.isArray(value) ? "array" : (typeof value as JsonType);
}

/** Whether the type fits, and the value where only some are allowed. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  const type = typeOf(value);
  const isType = types.length === 0 || types.includes(type) || (types.includes("integer") && isWhole(value));
  const allowed = Array.isArray(schema.enum) ? schema.enum : undefined;
  return isType && (allowed === undefined || typeof value === "object" || allowed.includes(value as Json));
}

function isWhole(value: unknown): boolean {
  return value instanceof ExactNumber ? value.isWhole : Number.isInteger(value);
}

/** The value as this type, when it says the same; undefined when it does not. */
function convert(value: unknown, type: JsonType): unknown {
  if (type === "string") return textOf(value);
  if (typeof value !== "string") return undefined;
  switch (type) {
    case "number":
    case "integer":
      return numberOf(value.trim());
    case "boolean":
      return { true: true, false: false }[value.trim()];
    case "object":
    case "array":
      return structureOf(value, type);
    default:
      return undefined;
  }
}

/** Doubles beyond the safe integers may have lost digits already. */
function textOf(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Only what the number itself would be written as, zeros at the end of a fraction aside: `007` stays a text. */
function numberOf(text: string): number | ExactNumber | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  const shortest = text.includes(".") ? text.replace(/\.0+$|(?<!0)0+$/, "") : text;
  return String(value) === shortest ? value : (parseExactly(text) as number | ExactNumber);
}

function structureOf(text: string, type: "object" | "array"): unknown {
  if (!text.trim().startsWith(type === "object" ? "{" : "[")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function fitInside(schema: JsonSchema, value: unknown, root: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isRecord(items) ? value.map((item) => fitted(items, item, root)) : value;
  }
  if (!isContainer(value)) return value;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    return [name, isRecord(property) ? fitted(property, each, root) : each];
  });
  return Object.fromEntries([...entries, ...missingDefaults(schema, properties, value)]);
}

function missingDefaults(
  { required }: JsonSchema,
  properties: JsonSchema,
  value: object,
): [string, unknown][] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.flatMap((name): [string, unknown][] => {
    const property = properties[name];
    if (Object.hasOwn(value, name) || !isRecord(property) || property.default === undefined) return [];
    return [[name, property.default]];
  });
}
