import { type Json, objectOf } from "../../../src/core/values/json.ts";
import { objects, type Wire } from "./wire.ts";

/** Keywords Anthropic's structured outputs refuse. https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
const refusedByClaude = ["minimum", "maximum", "multipleOf", "minLength", "maxLength", "maxItems", "oneOf"];

/** Keywords OpenAI's strict schemas refuse. https://platform.openai.com/docs/guides/structured-outputs */
const refusedByOpenAi = [
  "allOf",
  "not",
  "dependentRequired",
  "dependentSchemas",
  "if",
  "then",
  "else",
  "oneOf",
];

/** Why Anthropic refuses this schema for an answer; undefined when it does not. */
export function claudeSchemaFault(schema: Wire): string | undefined {
  for (const { at, node } of nodes(schema)) {
    if (node.type === "object" && node.additionalProperties !== false) {
      return `For 'object' type, 'additionalProperties' must be explicitly set to false${where(at)}`;
    }
    const keyword = refusedByClaude.find((name) => node[name] !== undefined);
    if (keyword !== undefined) {
      return `For '${String(node.type)}' type, property '${keyword}' is not supported${where(at)}`;
    }
  }
  return undefined;
}

/** Why OpenAI refuses this schema with `strict`; undefined when it does not. */
export function strictSchemaFault(schema: Wire): string | undefined {
  if (schema.type !== "object") {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema.type ?? null)}'.`;
  }
  if (schema.anyOf !== undefined) return "schema must not have 'anyOf' at the top level.";
  for (const { at, node } of nodes(schema)) {
    const context = `In context=(${at.map((part) => `'${part}'`).join(", ")}), `;
    const keyword = refusedByOpenAi.find((name) => node[name] !== undefined);
    if (keyword !== undefined) return `${context}'${keyword}' is not permitted.`;
    const fault = node.type === "object" ? objectFault(node) : undefined;
    if (fault !== undefined) return context + fault;
  }
  return undefined;
}

/** Property names Anthropic takes. */
const claudeName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Why Anthropic refuses the schema of a tool, as it says behind `tools.N.custom.`; undefined when it does not.
 * https://github.com/anthropics/claude-code/issues/27337, https://github.com/openclaw/openclaw/issues/29416
 */
export function claudeToolFault(schema: Wire): string | undefined {
  if (schema.type !== "object") return "input_schema.type: Input should be 'object'";
  if (schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined) {
    return "input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level";
  }
  for (const { node } of nodes(schema)) {
    const names = ["properties", "patternProperties"].flatMap((member) =>
      Object.keys(objectOf(node[member])),
    );
    if (names.some((name) => !claudeName.test(name))) {
      return `input_schema.properties: Property keys should match pattern '${claudeName.source}'`;
    }
    if (draftFault(node) !== undefined) {
      return "input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.";
    }
  }
  return undefined;
}

/**
 * Why OpenAI refuses the schema of a function without `strict`; undefined when it does not.
 * https://github.com/langchain-ai/langchainjs/issues/9804, https://github.com/PrefectHQ/fastmcp/issues/2464
 */
export function functionSchemaFault(schema: Wire): string | undefined {
  if (schema.type !== "object") {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema.type ?? null)}'.`;
  }
  if (["anyOf", "oneOf", "allOf", "enum", "not"].some((keyword) => schema[keyword] !== undefined)) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  }
  if (schema.properties === undefined) return "In context=(), object schema missing properties.";
  for (const { at, node } of nodes(schema)) {
    const context = `In context=(${at.map((part) => `'${part}'`).join(", ")}), `;
    const isList = node.type === "array" || (Array.isArray(node.type) && node.type.includes("array"));
    if (isList && node.items === undefined) return `${context}array schema missing items.`;
    const fault = draftFault(node);
    if (fault !== undefined) return context + fault;
  }
  return undefined;
}

const simpleTypes = ["array", "boolean", "integer", "null", "number", "object", "string"];

const isObject = (value: Json) => typeof value === "object" && value !== null && !Array.isArray(value);
const isSchema = (value: Json) => typeof value === "boolean" || isObject(value);
const isNumber = (value: Json) => typeof value === "number";
const isUnique = (list: Json) =>
  Array.isArray(list) && new Set(list.map((one) => JSON.stringify(one))).size === list.length;
const holdsSchemas = (value: Json) => isObject(value) && Object.values(objectOf(value)).every(isSchema);
const isSchemaList = (value: Json) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isType = (value: Json) => [value].flat().every((type) => simpleTypes.includes(String(type)));

/** The rules of the meta-schema of draft 2020-12 for a keyword. https://json-schema.org/draft/2020-12/schema */
const demands: readonly [keywords: string[], holds: (value: Json) => boolean, otherwise: string][] = [
  [
    ["exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum", "multipleOf"],
    isNumber,
    "is not of type 'number'",
  ],
  [["items", "additionalProperties", "not", "contains"], isSchema, "is not of type 'object', 'boolean'"],
  [["properties", "$defs", "patternProperties"], holdsSchemas, "is not of type 'object'"],
  [["anyOf", "oneOf", "allOf", "prefixItems"], isSchemaList, "is not of type 'array'"],
  [["required", "enum"], Array.isArray, "is not of type 'array'"],
  [["required", "enum"], isUnique, "has non-unique elements"],
  [["type"], isType, "is not valid under any of the given schemas"],
];

/** Violations of the meta-schema in one part of a schema. */
function draftFault(node: Wire): string | undefined {
  for (const [keywords, holds, otherwise] of demands) {
    const wrong = keywords.find((keyword) => node[keyword] !== undefined && !holds(node[keyword] ?? null));
    if (wrong !== undefined) return `${JSON.stringify(node[wrong])} ${otherwise}`;
  }
  return undefined;
}

function objectFault(node: Wire): string | undefined {
  if (node.additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const required = Array.isArray(node.required) ? node.required : [];
  const missing = Object.keys(objectOf(node.properties)).find((name) => !required.includes(name));
  if (missing === undefined) return undefined;
  return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function where(at: readonly string[]): string {
  return at.length === 0 ? "" : ` (at ${at.join(".")})`;
}

/** A schema and those within it. */
function* nodes(node: Wire, at: string[] = []): Generator<{ at: string[]; node: Wire }> {
  yield { at, node };
  for (const member of ["properties", "$defs", "definitions", "patternProperties"]) {
    for (const [name, inner] of Object.entries(objectOf(node[member]))) {
      yield* nodes(objectOf(inner), [...at, member, name]);
    }
  }
  for (const member of ["items", "additionalProperties"]) {
    const inner: Json | undefined = node[member];
    if (inner !== null && typeof inner === "object") yield* nodes(objectOf(inner), [...at, member]);
  }
  for (const member of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    for (const [index, inner] of objects(node[member]).entries()) {
      yield* nodes(inner, [...at, member, String(index)]);
    }
  }
}
