import { isRecord } from "../../base/record.ts";
import { percentDecoded } from "../../base/text/percent-decoded.ts";
import { type Json, type JsonObject, type JsonSchema, objectOf } from "../../core/values/json.ts";

/** Keywords that some servers refuse and that a description can state. */
const describable: ReadonlySet<string> = new Set(
  `format pattern default examples exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems
  uniqueItems minProperties maxProperties not if then else contains patternProperties dependencies dependentRequired
  dependentSchemas`.split(/\s+/),
);

/** Maximum depth to which references are followed, and levels. A deeper schema contains itself, or is made to be deep. */
const maxReferences = 12;
const maxDepth = 40;

/** Maximum parts of the result. Nested references multiply; beyond the maximum any value is allowed. */
const maxParts = 5_000;

/** Maximum characters of a rule in a description. */
const maxRule = 600;

/**
 * The schema of a tool's parameters with only the keywords that every server knows (the subset of OpenAPI that Gemini documents:
 * https://ai.google.dev/gemini-api/docs/function-calling). References are replaced by their targets, the root is one object with the
 * properties of all its choices, and descriptions state the constraints. Values are still checked against the whole schema.
 * @param nameOf the name under which a property is sent
 */
export function plainSchema(schema: JsonSchema, nameOf: Place["nameOf"] = (name) => name): JsonSchema {
  const made = plainPart(schema, { root: schema, nameOf, open: [], depth: 0, made: { parts: 0 } });
  const { anyOf: _, items: __, enum: ___, ...plain } = made;
  return { ...plain, type: "object", properties: propertiesIn(made) };
}

/** What `plainSchema` cannot say of the choices at the root. */
export function rootRules(schema: JsonSchema): string {
  const isObject = schema.type === undefined || [schema.type].flat().includes("object");
  const rules = isObject
    ? ["anyOf", "oneOf", "enum", "const"].flatMap((keyword) => {
        const rule = schema[keyword];
        return rule === undefined ? [] : [{ [keyword]: rule }];
      })
    : [schema];
  return rules.map((rule) => `The arguments must match: ${ruleText(rule)}`).join("\n");
}

/** A rule as JSON, cut; properties as their names. */
function ruleText(rule: JsonObject): string {
  const text = JSON.stringify(rule, (key, value: Json) =>
    key === "properties" && isRecord(value) ? Object.keys(value) : value,
  );
  return text.length > maxRule ? `${text.slice(0, maxRule)}…` : text;
}

/** The properties of a part and of all its choices. */
function propertiesIn({ properties, anyOf }: JsonSchema): JsonObject {
  const choices = Array.isArray(anyOf) ? anyOf.map((choice) => propertiesIn(objectOf(choice))) : [];
  return Object.assign({}, ...choices, objectOf(properties));
}

/** The place of a part: the whole schema, and the references that led here. */
interface Place {
  root: JsonSchema;
  nameOf: (name: string) => string;
  open: readonly string[];
  depth: number;
  /** Shared by all places of one schema. */
  made: { parts: number };
}

function plainPart(value: Json | undefined, above: Place): JsonSchema {
  const schema = objectOf(value);
  const place = { ...above, depth: above.depth + 1 };
  place.made.parts += 1;
  if (place.made.parts > maxParts || place.depth > maxDepth) return {};
  const { $ref } = schema;
  if (typeof $ref === "string") return referredTo(schema, $ref, place);
  const merged = withAllOf(schema, place.root);
  const { oneOf, anyOf, properties, items, additionalProperties, minimum, maximum } = merged;
  const choices = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  const plain: JsonSchema = { ...typePart(merged.type), ...enumPart(merged) };
  if (typeof minimum === "number") plain.minimum = minimum;
  if (typeof maximum === "number") plain.maximum = maximum;
  if (Array.isArray(choices)) plain.anyOf = choices.map((choice) => plainPart(choice, place));
  if (isRecord(properties)) plain.properties = plainNamed(properties, place);
  if (items !== undefined || plain.type === "array") plain.items = plainItems(items, place);
  const isMap = plain.type === "object" && properties === undefined;
  const values = isMap && isSchema(additionalProperties) ? plainPart(additionalProperties, place) : undefined;
  const words = [descriptionOf(merged), values && `Any keys; each value: ${JSON.stringify(values)}`];
  const description = words.filter(Boolean).join("\n");
  if (description !== "") plain.description = description;
  const required = requiredIn(merged).map(place.nameOf).filter(ownOf(plain.properties));
  if (required.length > 0) plain.required = [...new Set(required)];
  return plain;
}

function ownOf(properties: Json | undefined): (name: string) => boolean {
  const known = objectOf(properties);
  return (name) => Object.hasOwn(known, name);
}

function isSchema(value: Json | undefined): boolean {
  return Object.keys(objectOf(value)).length > 0;
}

/** Allows any value where a schema contains itself. */
function referredTo({ $ref: _, ...beside }: JsonSchema, ref: string, place: Place): JsonSchema {
  const { root, open } = place;
  const target = referredPart(root, ref);
  if (isRecord(target) && !open.includes(ref) && open.length < maxReferences) {
    return plainPart({ ...target, ...beside }, { ...place, open: [...open, ref] });
  }
  const words = typeof beside.description === "string" ? { description: beside.description } : {};
  return { ...typePart(objectOf(target).type), ...words };
}

/** Merges the parts of `allOf` and their properties. */
function withAllOf({ allOf, ...schema }: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  if (!Array.isArray(allOf) || depth > maxReferences) return schema;
  const all = allOf.map((part) => {
    const { $ref, ...beside } = objectOf(part);
    const target = typeof $ref === "string" ? objectOf(referredPart(root, $ref)) : {};
    return withAllOf({ ...target, ...beside }, root, depth + 1);
  });
  const parts = [schema, ...all];
  const properties = Object.assign({}, ...parts.map((part) => objectOf(part.properties))) as JsonSchema;
  const required = parts.flatMap(requiredIn);
  return {
    ...(Object.assign({}, ...parts.toReversed()) as JsonSchema),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function requiredIn({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

const types: ReadonlySet<Json> = new Set("array boolean integer null number object string".split(" "));

/** The first of several types that is not `null`. */
function typePart(given: Json | undefined): JsonSchema {
  const names = [given ?? []].flat().map((name) => String(name).toLowerCase());
  const known = names.filter((name) => types.has(name));
  const type = known.find((name) => name !== "null") ?? (Array.isArray(given) ? undefined : known[0]);
  return type === undefined ? {} : { type };
}

/** Enumerations may only hold text that is not empty; the description states other values. */
function enumPart(schema: JsonSchema): JsonSchema {
  const values = valuesIn(schema);
  return values?.length && values.every(isWord) ? { type: "string", enum: [...new Set(values)] } : {};
}

function valuesIn({ enum: values, const: only }: JsonSchema): Json[] | undefined {
  return Array.isArray(values) ? values : only === undefined ? undefined : [only];
}

const isWord = (value: Json) => typeof value === "string" && value !== "";

function descriptionOf(schema: JsonSchema): string {
  const values = valuesIn(schema);
  const isStated = values?.every(isWord) === false;
  const words = [
    ...(isStated ? [`one of: ${JSON.stringify(values)}`] : []),
    ...Object.entries(schema)
      .filter(([keyword]) => describable.has(keyword))
      .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value).slice(0, maxRule)}`),
  ];
  const own = typeof schema.description === "string" ? schema.description : "";
  return [own, words.join("; ")].filter(Boolean).join("\n");
}

function plainNamed(properties: object, place: Place): JsonSchema {
  const named = Object.entries(properties).map(([name, value]) => {
    const plain = plainPart(value, place);
    const sent = place.nameOf(name);
    if (sent === name) return [name, plain];
    const words = [plain.description, `The tool calls it ${JSON.stringify(name)}.`];
    return [sent, { ...plain, description: words.filter(Boolean).join("\n") }];
  });
  return Object.fromEntries(named);
}

/** Tuples become lists of any values, because a list must have `items`. */
function plainItems(items: Json | undefined, place: Place): JsonSchema {
  return plainPart(Array.isArray(items) ? {} : items, place);
}

/** The part of a schema that a reference names by its place. Undefined for a reference to another document, or to nothing. */
export function referredPart(root: JsonSchema, reference: string): Json | undefined {
  const own = [root.$id, root.id].find((address) => reference.startsWith(`${String(address)}#`));
  const local = own === undefined ? reference : reference.slice(String(own).length);
  if (local !== "#" && !local.startsWith("#/")) return undefined;
  let value: Json | undefined = root;
  for (const step of local.length <= 2 ? [] : local.slice(2).split("/")) {
    const name = percentDecoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
