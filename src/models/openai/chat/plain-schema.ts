import { isRecord } from "../../../base/record.ts";
import { type Json, type JsonSchema, objectOf } from "../../../core/values/json.ts";
import { referredPart } from "../../tools/references.ts";

/** Keywords that every server accepts. */
const taken: ReadonlySet<string> = new Set(["type", "minimum", "maximum"]);

/** Keywords that some servers refuse and that a description can state. */
const told: ReadonlySet<string> = new Set(
  `format pattern default examples exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems
  uniqueItems minProperties maxProperties`.split(/\s+/),
);

/** Maximum depth to which references are followed. A deeper schema contains itself. */
const maxDepth = 12;

/** Maximum parts of the result. Nested references multiply; beyond the maximum any value is allowed. */
const maxParts = 5_000;

/**
 * The schema of a tool's parameters with only the keywords that every server knows (the subset of OpenAPI that Gemini documents:
 * https://ai.google.dev/gemini-api/docs/function-calling). References are replaced by their targets, and descriptions state the
 * constraints. Values are still checked against the whole schema.
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const plain = plainPart(schema, { root: schema, open: [], made: { parts: 0 } });
  return { ...plain, type: "object", properties: objectOf(plain.properties) };
}

/** The place of a part: the whole schema, and the references that led here. */
interface Place {
  root: JsonSchema;
  open: readonly string[];
  /** Shared by all places of one schema. */
  made: { parts: number };
}

function plainPart(value: Json | undefined, place: Place): JsonSchema {
  const schema = objectOf(value);
  place.made.parts += 1;
  if (place.made.parts > maxParts) return {};
  const { $ref } = schema;
  if (typeof $ref === "string") return referredTo(schema, $ref, place);
  const merged = withAllOf(schema);
  const { oneOf, anyOf, properties, items, additionalProperties } = merged;
  const choices = [anyOf, oneOf].find(Array.isArray);
  const words = descriptionOf(merged);
  const plain: JsonSchema = {
    ...Object.fromEntries(Object.entries(merged).filter(([keyword]) => taken.has(keyword))),
    ...typePart(merged.type),
    ...enumPart(merged),
    ...(words === "" ? {} : { description: words }),
  };
  if (choices !== undefined) plain.anyOf = choices.map((choice) => plainPart(choice, place));
  if (properties !== undefined) plain.properties = plainNamed(properties, place);
  if (items !== undefined || plain.type === "array") plain.items = plainItems(items, place);
  if (plain.type === "object" && properties === undefined && isSchema(additionalProperties)) {
    const values = JSON.stringify(plainPart(additionalProperties, place));
    plain.description = [words, `Any keys; each value: ${values}`].filter(Boolean).join("\n");
  }
  const known = objectOf(plain.properties);
  const required = requiredIn(merged).filter(
    (name) => typeof name === "string" && Object.hasOwn(known, name),
  );
  return required.length > 0 ? { ...plain, required } : plain;
}

function isSchema(value: Json | undefined): boolean {
  return Object.keys(objectOf(value)).length > 0;
}

/** Allows any value where a schema contains itself. */
function referredTo(
  { $ref: _, ...beside }: JsonSchema,
  ref: string,
  { root, open, made }: Place,
): JsonSchema {
  const target = referredPart(root, ref);
  if (!isRecord(target) || open.includes(ref) || open.length >= maxDepth) {
    const type = typeof objectOf(target).type === "string" ? { type: objectOf(target).type as Json } : {};
    return { ...type, ...pick(beside, "description") };
  }
  return plainPart({ ...target, ...beside }, { root, open: [...open, ref], made });
}

/** Merges the parts of `allOf` and their properties. */
function withAllOf({ allOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(allOf)) return schema;
  const parts = [schema, ...allOf.map(objectOf)];
  const properties = Object.assign({}, ...parts.map((part) => objectOf(part.properties))) as JsonSchema;
  const required = parts.flatMap(requiredIn);
  return {
    ...(Object.assign({}, ...parts.toReversed()) as JsonSchema),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function requiredIn({ required }: JsonSchema): Json[] {
  return Array.isArray(required) ? required : [];
}

/** The first of several types that is not `null`. */
function typePart(type: Json | undefined): JsonSchema {
  if (!Array.isArray(type)) return {};
  const first = type.find((one) => one !== "null");
  return first === undefined ? {} : { type: first };
}

/** Enumerations may only hold text that is not empty; the description states other values. */
function enumPart(schema: JsonSchema): JsonSchema {
  const values = valuesIn(schema);
  return values?.length && values.every(isWord) ? { type: "string", enum: values } : {};
}

function valuesIn({ enum: values, const: only }: JsonSchema): Json[] | undefined {
  return Array.isArray(values) ? values : only === undefined ? undefined : [only];
}

const isWord = (value: Json) => typeof value === "string" && value !== "";

function descriptionOf(schema: JsonSchema): string {
  const values = valuesIn(schema);
  const isTold = values?.every(isWord) === false;
  const words = [
    ...(isTold ? [`one of: ${JSON.stringify(values)}`] : []),
    ...Object.entries(schema)
      .filter(([keyword]) => told.has(keyword))
      .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`),
  ];
  return [schema.description, words.join("; ")].filter(Boolean).join("\n");
}

function plainNamed(properties: Json, place: Place): JsonSchema {
  return Object.fromEntries(
    Object.entries(objectOf(properties)).map(([name, value]) => [name, plainPart(value, place)]),
  );
}

/** Tuples become lists of any values, because a list must have `items`. */
function plainItems(items: Json | undefined, place: Place): JsonSchema {
  return plainPart(Array.isArray(items) ? {} : items, place);
}

function pick(schema: JsonSchema, name: string): JsonSchema {
  return schema[name] === undefined ? {} : { [name]: schema[name] };
}
