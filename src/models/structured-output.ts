import { parsedJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import type { JsonSchema } from "../core/values/json.ts";

/** How a request asks for structured output: with the server's feature for schemas, or in the prompt if the server refuses that. */
export type OutputForm = { kind: "free" } | { kind: "schema"; schema: JsonSchema } | { kind: "instructed" };

/** The name under which servers know the schema. */
export const outputName = "answer";

const wrapper = "value";

/** Servers require an object at the root, so any other schema is wrapped in one. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  if (schema.type === "object") return schema;
  return {
    type: "object",
    properties: { [wrapper]: schema },
    required: [wrapper],
    additionalProperties: false,
  };
}

/** The requested value as JSON text, from an answer to `objectSchema(schema)`. Undefined if it is missing. */
export function unwrapOutput(text: string, schema: JsonSchema): string | undefined {
  const value = parsedJson(text);
  if (schema.type === "object") return isRecord(value) ? text : undefined;
  return isRecord(value) && value[wrapper] !== undefined ? JSON.stringify(value[wrapper]) : undefined;
}

/** The addition to the system prompt for servers without a feature for schemas. */
export function outputInstruction(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else: no explanation, no code fence. It must satisfy this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The JSON text in a model's free answer, without code fence and surrounding words. Undefined if there is none. */
export function jsonIn(text: string): string | undefined {
  return [text, inFence(text), inBraces(text)]
    .find((candidate) => parsedJson(candidate) !== undefined)
    ?.trim();
}

/** The content of the first fence; empty without a complete fence. */
function inFence(text: string): string {
  const opening = /```(?:json)?[^\S\n]*\n/.exec(text);
  if (opening === null) return "";
  const rest = text.slice(opening.index + opening[0].length);
  return rest.slice(0, Math.max(0, rest.search(/\n[^\S\n]*```/)));
}

function inBraces(text: string): string {
  const start = text.search(/[{[]/);
  return start < 0 ? "" : text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
}
