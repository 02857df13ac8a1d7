/** The schema of a tool as vendors accept it. Descriptions state what is left out. */
import { isPattern } from "../../base/pattern.ts";
import { isRecord } from "../../base/record.ts";
import { type Json, type JsonObject, type JsonSchema, objectOf } from "../../core/values/json.ts";
import { plainRoot, ruleText } from "./plain-root.ts";
import { referredPart } from "./references.ts";

/** A vendor's requirements beyond JSON Schema draft 2020-12. */
export interface SchemaRules {
  /** Whether every array must have `items`, and the root `properties`. */
  items: boolean;
  /** The vendor's name of a property. Undefined where any name is accepted. */
  nameOf: ((name: string) => string) | undefined;
}

/** Maximum levels and parts of a schema that are sent. Beyond them any value is allowed; calls are checked against the whole schema. */
const maxDepth = 40;
const maxParts = 3_000;

interface Walk {
  root: JsonSchema;
  rules: SchemaRules;
  parts: number;
}
interface Place {
  walk: Walk;
  depth: number;
  /** References that were followed to this part. */
  open: readonly string[];
}

/**
 * Reduces a schema of any draft to a plain object of draft 2020-12. `words` describe the rules of the whole that it cannot express.
 * https://json-schema.org/draft/2020-12/schema
 */
export function sendableSchema(
  schema: JsonSchema,
  rules: SchemaRules,
): { schema: JsonSchema; words: string } {
  const { root, words } = plainRoot(schema);
  const walk: Walk = { root: schema, rules, parts: 0 };
  const sent = partOf(root, { walk, depth: 0, open: [] });
  const needsProperties = rules.items && sent.properties === undefined;
  return { schema: needsProperties ? { ...sent, properties: {} } : sent, words };
}

function partOf(value: Json | undefined, place: Place): JsonSchema {
  if (value === false) return { not: {} };
  if (!isRecord(value)) return {};
  const { walk, depth } = place;
  walk.parts += 1;
  if (walk.parts > maxParts || depth > maxDepth)
    return typeof value.description === "string" ? { description: value.description } : {};
  const followed = referred(value as JsonSchema, place);
  if (followed !== undefined) return followed;
  const left: JsonObject = {};
  const sent: [string, Json][] = [];
  for (const [keyword, given] of Object.entries(value as JsonSchema)) {
    const [name, member] = memberOf(keyword, given, place);
    if (member !== undefined) sent.push([name, member]);
    else if (given !== null && !silent.has(keyword)) left[keyword] = given;
  }
  return completed(Object.fromEntries(sent), left, walk.rules);
}

/** The part in place of a reference to it, unless the reference is to a definition, or leads back here. */
function referred(part: JsonSchema, { walk, depth, open }: Place): JsonSchema | undefined {
  const { $ref, ...beside } = part;
  if (typeof $ref !== "string" || open.includes($ref)) return undefined;
  const target = referredPart(walk.root, $ref);
  if (!isRecord(target) || definition.test($ref)) return undefined;
  return partOf({ ...target, ...beside }, { walk, depth: depth + 1, open: [...open, $ref] });
}

const definition = /^#\/(?:\$defs|definitions)\/[^/]+$/;

function completed(sent: JsonSchema, left: JsonObject, rules: SchemaRules): JsonSchema {
  const made = { ...sent };
  const isList = [made.type].flat().includes("array");
  if (rules.items && isList && made.items === undefined) made.items = {};
  // Names that match a pattern would be forbidden as well.
  if (left.patternProperties !== undefined && made.additionalProperties === false)
    delete made.additionalProperties;
  if (Object.keys(left).length > 0)
    made.description = [made.description, `Also: ${ruleText(left)}`].filter(Boolean).join("\n");
  return made;
}

/** Identifiers of parts; and keywords that say nothing about a value. */
const silent: ReadonlySet<string> = new Set(
  "id $id $schema $anchor $dynamicAnchor $recursiveAnchor additionalItems".split(" "),
);

type Reader = (given: Json, place: Place) => Json | undefined;

/** The keyword as it is sent, with its value; undefined for a value that the draft does not allow. */
function memberOf(keyword: string, given: Json, place: Place): [string, Json | undefined] {
  // Since draft 2020-12 a tuple is `prefixItems`.
  if (keyword === "items" && Array.isArray(given)) return ["prefixItems", several(given, place)];
  const isRoot = place.depth === 0 && (keyword === "$schema" || keyword === "$id");
  if (silent.has(keyword) && !isRoot) return [keyword, undefined];
  const reader = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined;
  return [keyword, reader === undefined ? given : reader(given, place)];
}

const only =
  (isTaken: (given: Json) => boolean): Reader =>
  (given) =>
    isTaken(given) ? given : undefined;

const below = (place: Place): Place => ({ ...place, depth: place.depth + 1 });
const one: Reader = (given, place) => partOf(given, below(place));
const oneOrFlag: Reader = (given, place) =>
  typeof given === "boolean" ? given : isRecord(given) ? one(given, place) : undefined;
const several: Reader = (given, place) =>
  Array.isArray(given) && given.length > 0 ? given.map((part) => partOf(part, below(place))) : undefined;

const named: Reader = (given, place) => {
  if (!isRecord(given)) return undefined;
  const parts = Object.entries(given).map(([name, part]) => [name, partOf(part as Json, below(place))]);
  return Object.fromEntries(parts);
};

const properties: Reader = (given, place) => {
  const { nameOf } = place.walk.rules;
  const parts = named(given, place);
  if (parts === undefined || nameOf === undefined) return parts;
  const renamed = Object.entries(objectOf(parts)).map(([name, part]) => {
    const sent = nameOf(name);
    if (sent === name) return [name, part];
    const words = `The tool calls it ${JSON.stringify(name)}.`;
    const description = [objectOf(part).description, words].filter(Boolean).join("\n");
    return [sent, { ...objectOf(part), description }];
  });
  return Object.fromEntries(renamed);
};

const required: Reader = (given, { walk }) => {
  if (!Array.isArray(given)) return undefined;
  const names = given.filter((name) => typeof name === "string");
  return [...new Set(names.map((name) => walk.rules.nameOf?.(name) ?? name))];
};

/** For keywords that state names, where the vendor limits these. */
const unlessLimited =
  (reader: Reader): Reader =>
  (given, place) =>
    place.walk.rules.nameOf === undefined ? reader(given, place) : undefined;

const types: ReadonlySet<Json> = new Set("array boolean integer null number object string".split(" "));
const type: Reader = (given) => {
  const names = [given].flat().map((name) => (typeof name === "string" ? name.toLowerCase() : null));
  const known = [...new Set(names)].filter((name) => types.has(name));
  return Array.isArray(given) && known.length > 0 ? known : known[0];
};

const distinct: Reader = (given) =>
  Array.isArray(given) && given.length > 0
    ? [...new Map(given.map((value) => [JSON.stringify(value), value])).values()]
    : undefined;

const isText = (given: Json) => typeof given === "string";
const isCount = (given: Json) => Number.isInteger(given) && Number(given) >= 0;

/** @param keywords with spaces between */
function readersOf(keywords: string, reader: Reader): Record<string, Reader> {
  return Object.fromEntries(keywords.split(" ").map((keyword) => [keyword, reader]));
}

const readers: Readonly<Record<string, Reader>> = {
  type,
  properties,
  required,
  enum: distinct,
  dependencies: () => undefined,
  nullable: () => undefined,
  $recursiveRef: () => undefined,
  $ref: (given, { walk }) =>
    isText(given) && definition.test(String(given)) && referredPart(walk.root, String(given)) !== undefined
      ? given
      : undefined,
  $id: only((given) => URL.canParse(String(given)) && !String(given).includes("#")),
  pattern: only((given) => isText(given) && isPattern(String(given))),
  patternProperties: unlessLimited((given, place) =>
    Object.keys(objectOf(given)).every(isPattern) ? named(given, place) : undefined,
  ),
  dependentSchemas: unlessLimited(named),
  dependentRequired: unlessLimited(only(isRecord)),
  items: (given, place) => (isRecord(given) ? one(given, place) : undefined),
  multipleOf: only((given) => typeof given === "number" && given > 0),
  examples: only(Array.isArray),
  ...readersOf(
    "minimum maximum exclusiveMinimum exclusiveMaximum",
    only((given) => typeof given === "number"),
  ),
  ...readersOf(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    only(isCount),
  ),
  ...readersOf(
    "uniqueItems deprecated readOnly writeOnly",
    only((given) => typeof given === "boolean"),
  ),
  ...readersOf("$schema title description format $comment contentEncoding contentMediaType", only(isText)),
  ...readersOf("contains propertyNames not if then else", one),
  ...readersOf("additionalProperties unevaluatedItems unevaluatedProperties", oneOrFlag),
  ...readersOf("anyOf oneOf allOf prefixItems", several),
  ...readersOf("$defs definitions", named),
};
