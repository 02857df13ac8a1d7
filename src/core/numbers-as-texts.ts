import type { Json, JsonSchema } from "./json.ts";

/**
 * Arguments in which a number that stands for a text is that text: models write ticket 4711 as a number. Only where the schema allows
 * nothing but a text; everything else is left to the check of the arguments.
 */
export function numbersAsTexts(schema: JsonSchema, input: unknown): unknown {
  if (typeof input === "number") return schema.type === "string" ? String(input) : input;
  if (Array.isArray(input)) {
    const items = asSchema(schema.items);
    return items === undefined ? input : input.map((item) => numbersAsTexts(items, item));
  }
  const properties = asSchema(schema.properties);
  if (typeof input !== "object" || input === null || properties === undefined) return input;
  const entries = Object.entries(input).map(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? asSchema(properties[name]) : undefined;
    return [name, property === undefined ? value : numbersAsTexts(property, value)];
  });
  return Object.fromEntries(entries);
}

function asSchema(value: Json | undefined): JsonSchema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
