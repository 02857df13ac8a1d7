import { type Json, type JsonSchema, objectOf } from "../../../core/values/json.ts";

/** Keywords that OpenAI's strict mode does not take. */
const refused = [
  ...["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["patternProperties", "propertyNames", "unevaluatedProperties", "prefixItems", "contains", "default"],
];

/**
 * Whether a server can be made to keep to a schema: every object lists all its properties as required and allows no others.
 * https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return schema.type === "object" && isStrict(schema);
}

function isStrict(value: Json | undefined): boolean {
  const schema = objectOf(value);
  if (Object.keys(schema).length === 0 || refused.some((keyword) => keyword in schema)) return false;
  if (schema.type === "object" && !isClosed(schema)) return false;
  return partsOf(schema).every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  const names = Object.keys(objectOf(properties));
  return (
    additionalProperties === false &&
    Array.isArray(required) &&
    names.every((name) => required.includes(name))
  );
}

function partsOf({ properties, items, anyOf, $defs, type }: JsonSchema): (Json | undefined)[] {
  return [
    ...Object.values(objectOf(properties)),
    ...Object.values(objectOf($defs)),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items !== undefined || type === "array" ? [items] : []),
  ];
}
