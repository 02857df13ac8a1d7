import { isPattern } from "../../base/pattern.ts";
import { isRecord } from "../../base/record.ts";
import { type Json, type JsonObject, type JsonSchema, objectOf } from "../../core/values/json.ts";
import { type References, rewrittenReference } from "./references.ts";
import { addWords, completeTypes, typeMember, typesIn } from "./schema-types.ts";

/** A vendor's requirements beyond JSON Schema draft 2020-12. */
export interface SchemaRules {
  /** Whether every array must have `items`. */
  items: boolean;
  /** The vendor's name of a property. Undefined where any name is accepted. */
  nameOf: ((name: string) => string) | undefined;
}

/** Maximum levels and parts of a schema that are sent. Beyond them any value is allowed; calls are checked against the whole schema. */
const maxDepth = 40;
const maxParts = 3_000;

interface Walk {
  rules: SchemaRules;
  references: References;
  parts: number;
}

/** Converts one keyword to the members of the new schema. */
type Reader = (given: Json, whole: JsonObject, walk: Walk, depth: number) => [string, Json][];

/**
 * Converts a schema of any draft to draft 2020-12. Values that its meta-schema does not allow are left out.
 * https://json-schema.org/draft/2020-12/schema
 */
export function modernSchema(schema: JsonSchema, rules: SchemaRules): JsonSchema {
  const references: References = { root: schema, nameOf: rules.nameOf, hoisted: new Map() };
  const walk: Walk = { rules, references, parts: 0 };
  const made = schemaPart(schema, walk, 0);
  const hoisted: [string, Json][] = [];
  // A hoisted part may refer to others.
  for (const [name, part] of references.hoisted) hoisted.push([name, schemaPart(part, walk, 1)]);
  if (hoisted.length === 0) return made;
  return { ...made, $defs: Object.fromEntries([...Object.entries(objectOf(made.$defs)), ...hoisted]) };
}

function schemaPart(value: Json | undefined, walk: Walk, depth: number): JsonSchema {
  if (value === false) return { not: {} };
  if (!isRecord(value)) return {};
  walk.parts += 1;
  if (walk.parts > maxParts || depth > maxDepth) {
    return typeof value.description === "string" ? { description: value.description } : {};
  }
  const made = new Map<string, Json>();
  for (const [keyword, given] of Object.entries(value)) {
    const reader = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined;
    const members = reader === undefined ? [[keyword, given] as const] : reader(given, value, walk, depth);
    for (const [name, member] of members) made.set(name, member);
  }
  completeTypes(made, value);
  completeRequired(made, value, walk);
  withoutPatterns(made, value, walk, depth);
  completeItems(made, walk);
  return Object.fromEntries(made);
}

function completeItems(made: Map<string, Json>, { rules }: Walk): void {
  if (rules.items && typesIn(made.get("type")).includes("array") && !made.has("items")) made.set("items", {});
}

/** In draft 3 the property itself says that it is required. */
function completeRequired(made: Map<string, Json>, { properties }: JsonObject, { rules }: Walk): void {
  const names = Object.entries(objectOf(properties))
    .filter(([, property]) => objectOf(property).required === true)
    .map(([name]) => rules.nameOf?.(name) ?? name);
  if (names.length === 0) return;
  const known = made.get("required");
  made.set("required", [...new Set([...(Array.isArray(known) ? known : []), ...names])]);
}

/** A vendor that limits names takes no patterns of names either: any other name is allowed, and the description states the pattern. */
function withoutPatterns(
  made: Map<string, Json>,
  { patternProperties }: JsonObject,
  walk: Walk,
  depth: number,
): void {
  const patterns = Object.entries(objectOf(patternProperties));
  if (patterns.length === 0 || walk.rules.nameOf === undefined) return;
  const [, only] = patterns.length === 1 ? (patterns[0] ?? []) : [];
  if (!isRecord(made.get("additionalProperties"))) {
    made.set("additionalProperties", only === undefined ? {} : schemaPart(only, walk, depth + 1));
  }
  addWords(made, `Further names match ${patterns.map(([pattern]) => pattern).join(" or ")}.`);
}

const only =
  (keyword: string, isTaken: (given: Json) => boolean): Reader =>
  (given) =>
    isTaken(given) ? [[keyword, given]] : [];

const isText = (given: Json) => typeof given === "string";
const isFlag = (given: Json) => typeof given === "boolean";
const isCount = (given: Json) => typeof given === "number" && Number.isInteger(given) && given >= 0;
const isNumber = (given: Json) => typeof given === "number";

/** In draft 4 a flag says that the bound is exclusive. */
function bound(
  keyword: "minimum" | "maximum",
  flag: "exclusiveMinimum" | "exclusiveMaximum",
): Record<string, Reader> {
  return {
    [keyword]: (given, whole) => (isNumber(given) && whole[flag] !== true ? [[keyword, given]] : []),
    [flag]: (given, whole) => {
      const limit = given === true ? whole[keyword] : given;
      return typeof limit === "number" ? [[flag, limit]] : [];
    },
  };
}

const one =
  (keyword: string): Reader =>
  (given, _whole, walk, depth) => [[keyword, schemaPart(given, walk, depth + 1)]];

/** A schema or a flag. */
const oneOrFlag =
  (keyword: string): Reader =>
  (given, whole, walk, depth) =>
    isFlag(given) ? [[keyword, given]] : isRecord(given) ? one(keyword)(given, whole, walk, depth) : [];

const several =
  (keyword: string): Reader =>
  (given, _whole, walk, depth) => {
    if (!Array.isArray(given) || given.length === 0) return [];
    return [[keyword, given.map((part) => schemaPart(part, walk, depth + 1))]];
  };

const named =
  (keyword: string): Reader =>
  (given, _whole, walk, depth) => {
    if (!isRecord(given)) return [];
    const parts = Object.entries(given).map(([name, part]) => [name, schemaPart(part, walk, depth + 1)]);
    return [[keyword, Object.fromEntries(parts)]];
  };

const properties: Reader = (given, _whole, walk, depth) => {
  if (!isRecord(given)) return [];
  const parts = Object.entries(given).map(([name, value]) => {
    const part = schemaPart(value, walk, depth + 1);
    const sent = walk.rules.nameOf?.(name) ?? name;
    if (sent === name) return [name, part];
    const description = [part.description, `The tool calls it ${JSON.stringify(name)}.`]
      .filter(Boolean)
      .join("\n");
    return [sent, { ...part, description }];
  });
  return [["properties", Object.fromEntries(parts)]];
};

/** Since draft 2020-12 a tuple is `prefixItems`, and the items after it are `items`. */
const items: Reader = (given, whole, walk, depth) => {
  if (!Array.isArray(given)) {
    if (given === false && Array.isArray(whole.prefixItems) && !walk.rules.items) return [["items", false]];
    if (!isRecord(given) && given !== true) return [];
    return [["items", schemaPart(given, walk, depth + 1)]];
  }
  const { additionalItems } = whole;
  const rest = isRecord(additionalItems) ? [["items", schemaPart(additionalItems, walk, depth + 1)]] : [];
  return [...several("prefixItems")(given, whole, walk, depth), ...(rest as [string, Json][])];
};

/** Draft 7 had one keyword, which was split into two. */
const dependencies: Reader = (given, whole, walk, depth) => {
  const all = Object.entries(objectOf(given));
  const names = all.filter(([, needed]) => Array.isArray(needed));
  const schemas = all.filter(([, needed]) => isRecord(needed));
  return [
    ...(names.length === 0 ? [] : dependentRequired(Object.fromEntries(names), whole, walk, depth)),
    ...(schemas.length === 0 ? [] : dependentSchemas(Object.fromEntries(schemas), whole, walk, depth)),
  ];
};

function namesIn(given: Json, { rules }: Walk): string[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const names = given.filter((name) => typeof name === "string");
  return [...new Set(names.map((name) => rules.nameOf?.(name) ?? name))];
}

const dependentRequired: Reader = (given, _whole, walk) => {
  const all = Object.entries(objectOf(given)).flatMap(([name, needed]) => {
    const names = namesIn(needed, walk);
    return names === undefined ? [] : [[walk.rules.nameOf?.(name) ?? name, names]];
  });
  return [["dependentRequired", Object.fromEntries(all)]];
};

const dependentSchemas: Reader = (given, _whole, walk, depth) => {
  const all = Object.entries(objectOf(given));
  const parts = all.map(([name, part]) => [
    walk.rules.nameOf?.(name) ?? name,
    schemaPart(part, walk, depth + 1),
  ]);
  return [["dependentSchemas", Object.fromEntries(parts)]];
};

const definitions: Reader = (given, whole, walk, depth) => {
  const keyword = depth === 0 && whole.$defs === undefined ? "$defs" : "definitions";
  return named(keyword)(given, whole, walk, depth);
};

/** The name of a part of the schema. Of other identifiers only the root's address is kept. */
const identifier: Reader = (given, whole, _walk, depth) => {
  if (typeof given !== "string") return [];
  if (/^#[A-Za-z_][\w.-]*$/.test(given)) return [["$anchor", given.slice(1)]];
  return depth === 0 && given === whole.$id && URL.canParse(given) && !given.includes("#")
    ? [["$id", given]]
    : [];
};

const reference: Reader = (given, _whole, { references }) => {
  const sent = typeof given === "string" ? rewrittenReference(given, references) : undefined;
  return sent === undefined ? [] : [["$ref", sent]];
};

const pattern: Reader = (given, { description }) => {
  if (typeof given !== "string") return [];
  if (isPattern(given)) return [["pattern", given]];
  const words = `It matches ${given}.`;
  return [["description", typeof description === "string" ? `${description}\n${words}` : words]];
};

/** @param keywords with spaces between */
function readersOf(keywords: string, readerOf: (keyword: string) => Reader): Record<string, Reader> {
  return Object.fromEntries(keywords.split(" ").map((keyword) => [keyword, readerOf(keyword)]));
}

const readers: Readonly<Record<string, Reader>> = {
  type: typeMember,
  properties,
  items,
  dependencies,
  dependentRequired,
  dependentSchemas,
  definitions,
  pattern,
  additionalItems: () => [],
  nullable: () => [],
  id: identifier,
  $id: identifier,
  $ref: reference,
  $recursiveRef: reference,
  $recursiveAnchor: () => [],
  $schema: (given, _whole, _walk, depth) => (depth === 0 && isText(given) ? [["$schema", given]] : []),
  required: (given, _whole, walk) => {
    const names = namesIn(given, walk);
    return names === undefined ? [] : [["required", names]];
  },
  enum: (given) => {
    if (!Array.isArray(given) || given.length === 0) return [];
    return [["enum", [...new Map(given.map((value) => [JSON.stringify(value), value])).values()]]];
  },
  patternProperties: (given, whole, walk, depth) => {
    if (walk.rules.nameOf !== undefined) return [];
    const usable = Object.entries(objectOf(given)).filter(([name]) => isPattern(name));
    return named("patternProperties")(Object.fromEntries(usable), whole, walk, depth);
  },
  $defs: named("$defs"),
  ...bound("minimum", "exclusiveMinimum"),
  ...bound("maximum", "exclusiveMaximum"),
  ...readersOf(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    (keyword) => only(keyword, isCount),
  ),
  multipleOf: only("multipleOf", (given) => typeof given === "number" && given > 0),
  ...readersOf("uniqueItems deprecated readOnly writeOnly", (keyword) => only(keyword, isFlag)),
  ...readersOf("title format $comment contentEncoding contentMediaType $anchor", (keyword) =>
    only(keyword, isText),
  ),
  // An unreadable pattern is added to the description by its own reader, before or after this one.
  description: (given, whole) =>
    isText(given) && !(typeof whole.pattern === "string" && !isPattern(whole.pattern))
      ? [["description", given]]
      : [],
  examples: only("examples", Array.isArray),
  ...readersOf("contains propertyNames not if then else", one),
  ...readersOf("additionalProperties unevaluatedItems unevaluatedProperties", oneOrFlag),
  ...readersOf("anyOf oneOf allOf prefixItems", several),
};
