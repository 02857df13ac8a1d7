import { type Json, type JsonSchema, objectOf } from "../../../src/core/values/json.ts";
import type { Script } from "./view.ts";

/** Repeats the message, or returns a minimal JSON value for the requested schema. */
export const echo: Script = (request) => ({
  text:
    request.schema === undefined
      ? `You said: ${request.said || "nothing"}`
      : JSON.stringify(leastValue(request.schema)),
});

/** The smallest value a schema accepts, for the keywords that structured outputs know. */
function leastValue(schema: JsonSchema): Json {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray)?.[0];
  if (choice !== undefined) return leastValue(objectOf(choice));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties !== undefined) {
    const properties = Object.entries(objectOf(schema.properties));
    return Object.fromEntries(properties.map(([name, inner]) => [name, leastValue(objectOf(inner))]));
  }
  if (type === "array") return schema.minItems === 1 ? [leastValue(objectOf(schema.items))] : [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return 0;
  return type === "null" ? null : "text";
}
