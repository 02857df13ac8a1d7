import { type Json, objectOf } from "../../../src/core/json.ts";
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
  for (const member of ["properties", "$defs", "definitions"]) {
    for (const [name, inner] of Object.entries(objectOf(node[member]))) {
      yield* nodes(objectOf(inner), [...at, member, name]);
    }
  }
  for (const member of ["items", "additionalProperties"]) {
    const inner: Json | undefined = node[member];
    if (inner !== null && typeof inner === "object") yield* nodes(objectOf(inner), [...at, member]);
  }
  for (const member of ["anyOf", "oneOf", "allOf"]) {
    for (const [index, inner] of objects(node[member]).entries()) {
      yield* nodes(inner, [...at, member, String(index)]);
    }
  }
}
