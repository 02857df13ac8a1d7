import { isRecord } from "../../base/record.ts";
import {
  canonicalJson,
  type Json,
  type JsonObject,
  type JsonSchema,
  objectOf,
} from "../../core/values/json.ts";
import { referredPart } from "./references.ts";

/** A schema whose root is one plain object, and the other demands of its root in words. */
export interface PlainRoot {
  schema: JsonSchema;
  words: string[];
}

/** Maximum depth to which references and nested choices are followed. */
const maxDepth = 8;
/** Maximum characters of a rule that is quoted because no sentence expresses it. */
const maxRule = 400;

/** Keywords that vendors refuse at the root. */
const refused: ReadonlySet<string> = new Set("anyOf oneOf allOf not enum const if then else $ref".split(" "));

/**
 * The schema as one object with the properties of all its choices, of which those are required that every choice requires. Words
 * describe the rest. OpenAI and Anthropic demand an object without choices at the root:
 * https://platform.openai.com/docs/guides/function-calling
 */
export function plainRoot(schema: JsonSchema, needsProperties: boolean): PlainRoot {
  const words: string[] = [];
  const merged = merge(schema, { root: schema, words, depth: 0, room: { parts: maxMerged } });
  const { properties, required, type } = merged;
  const isPlain = type === "object" && !Object.keys(schema).some((keyword) => refused.has(keyword));
  if (!mayBeObject(merged)) {
    return { schema: { type: "object", properties: {} }, words: [`Its arguments are: ${rule(schema)}`] };
  }
  const names = requiredIn(merged);
  return {
    schema: {
      ...merged,
      type: "object",
      ...(properties !== undefined || needsProperties || !isPlain
        ? { properties: objectOf(properties) }
        : {}),
      ...(names.length > 0 || (isPlain && required !== undefined) ? { required: names } : {}),
    },
    words: [...new Set(words)],
  };
}

interface Place {
  root: JsonSchema;
  words: string[];
  depth: number;
  /** How many more parts are merged: references within choices multiply. */
  room: { parts: number };
}

const maxMerged = 500;

function merge(part: JsonSchema, place: Place): JsonSchema {
  const inside = { ...place, depth: place.depth + 1 };
  const { $ref } = part;
  const whole = withoutRefused(part);
  place.room.parts -= 1;
  if (place.depth > maxDepth || place.room.parts < 0) return whole;
  const target = typeof $ref === "string" ? referredPart(place.root, $ref) : undefined;
  const all = [target, ...(Array.isArray(part.allOf) ? part.allOf : [])].filter(isRecord) as JsonSchema[];
  let merged = allTogether([whole, ...all.map((one) => merge(one, inside))]);
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const choices = part[keyword];
    if (!Array.isArray(choices)) continue;
    const objects = choices.map(objectOf).filter(mayBeObject);
    // A rule within one choice does not apply to the others.
    const quiet = { ...inside, words: [] };
    const each = objects.map((one) => merge(one, quiet));
    const words = choiceWords(objects, each, keyword);
    if (words !== "") place.words.push(words);
    merged = allTogether([merged, oneForAll(each)]);
  }
  tellRest(part, place);
  const branches = [part.then, part.else].filter(isRecord) as JsonSchema[];
  const optional = branches.map((one) => merge(one, { ...inside, words: [] }));
  return optional.length === 0 ? merged : allTogether([merged], optional);
}

function withoutRefused(part: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(part).filter(([keyword]) => !refused.has(keyword)));
}

function mayBeObject({ type }: JsonSchema): boolean {
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

/** One object for which all parts hold; the first takes precedence. `optional` parts hold in some cases, so they require nothing. */
function allTogether(parts: readonly JsonSchema[], optional: readonly JsonSchema[] = []): JsonSchema {
  const [first = {}, ...others] = parts;
  const required = [...new Set(parts.flatMap(requiredIn))];
  // The others may add to a first part that is closed; another closed part would close the first one.
  const added = others.map(withoutLists).map(({ additionalProperties, ...rest }) => ({
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
  }));
  const rest = Object.assign({}, ...added.toReversed(), first) as JsonSchema;
  return {
    ...rest,
    ...sharedProperties([...parts, ...optional]),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** One object for all choices. It requires what every choice requires. */
function oneForAll(choices: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = choices;
  const required = requiredIn(first).filter((name) => choices.every((one) => requiredIn(one).includes(name)));
  return {
    ...saidByAll(choices),
    ...sharedProperties(choices),
    ...(required.length > 0 ? { required } : {}),
  };
}

function requiredIn({ required }: JsonSchema): Json[] {
  return Array.isArray(required) ? required : [];
}

function sharedProperties(parts: readonly JsonSchema[]): JsonSchema {
  const all = parts.map(({ properties }) => objectOf(properties));
  const names = [...new Set(all.flatMap((properties) => Object.keys(properties)))];
  if (names.length === 0) return {};
  const properties = names.map((name) => [
    name,
    anyOfThem(all.flatMap((own) => (Object.hasOwn(own, name) ? [own[name] ?? {}] : []))),
  ]);
  return { properties: Object.fromEntries(properties) };
}

function withoutLists({
  properties: _p,
  required: _r,
  description: _d,
  title: _t,
  ...rest
}: JsonSchema): JsonSchema {
  return rest;
}

/** The keywords that have the same value in all choices. */
function saidByAll(parts: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = parts.map(withoutLists);
  return Object.fromEntries(
    Object.entries(first).filter(([keyword, value]) =>
      parts.every(
        (part) => part[keyword] !== undefined && canonicalJson(part[keyword]) === canonicalJson(value),
      ),
    ),
  );
}

/** A property that several parts describe: lists of values become one list, other differences become a choice. */
function anyOfThem(given: readonly Json[]): Json {
  const different = [...new Map(given.map((one) => [canonicalJson(one), one])).values()];
  const [first = {}] = different;
  if (different.length === 1) return first;
  const fitting = different.filter((one) => Object.keys(objectOf(one)).length > 0);
  if (fitting.length === 1) return fitting[0] ?? first;
  const values = different.map((one) => valuesOf(objectOf(one)));
  if (values.every((list) => list !== undefined)) {
    const { const: _c, enum: _e, ...rest } = objectOf(first);
    return {
      ...rest,
      enum: [...new Map(values.flat().map((value) => [JSON.stringify(value), value ?? null])).values()],
    };
  }
  return { anyOf: fitting };
}

function valuesOf({ const: single, enum: list }: JsonObject): Json[] | undefined {
  if (Array.isArray(list)) return list;
  return single === undefined ? undefined : [single];
}

/** `Give either content, or source_url.` */
function choiceWords(
  choices: readonly JsonSchema[],
  merged: readonly JsonSchema[],
  keyword: "anyOf" | "oneOf",
): string {
  const said = choices.map((choice, index) => choiceInWords(choice, merged[index] ?? {}));
  const different = [...new Set(said)];
  if (different.length < 2) return "";
  const list = different.map((words) => words ?? "none of these");
  const end = keyword === "oneOf" ? (list.length === 2 ? ", not both" : ", only one of these") : "";
  return `Give either ${list.join(", or ")}${end}.`;
}

function choiceInWords({ not }: JsonSchema, { properties, required }: JsonSchema): string | undefined {
  const all = objectOf(properties);
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const tags = Object.entries(all).flatMap(([name, part]) => {
    const { const: only } = objectOf(part);
    return only === undefined ? [] : [`${name} ${JSON.stringify(only)}`];
  });
  const others = names.filter((name) => objectOf(all[name]).const === undefined);
  const said = [...tags, ...others];
  if (said.length === 0) said.push(...Object.keys(all));
  const forbidden = objectOf(not).required;
  if (Array.isArray(forbidden) && forbidden.length > 0) said.push(`no ${forbidden.join(" and ")}`);
  return said.length === 0 ? undefined : said.join(" and ");
}

/** Describes what merging cannot keep. */
function tellRest(part: JsonSchema, { words }: Place): void {
  const values = valuesOf(part);
  if (values !== undefined) words.push(`The arguments are one of: ${rule(values)}`);
  const forbidden = objectOf(part.not).required;
  if (Array.isArray(forbidden) && forbidden.length > 0) {
    words.push(
      forbidden.length === 1
        ? `Do not give ${forbidden[0]}.`
        : `Do not give ${forbidden.join(" and ")} together.`,
    );
  } else if (part.not !== undefined) words.push(`The arguments do not match: ${rule(part.not)}`);
  if (part.if === undefined) return;
  const { if: condition, then, else: otherwise } = part;
  words.push(`Rule: ${rule({ if: condition, then, else: otherwise })}`);
}

function rule(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxRule ? `${text.slice(0, maxRule)}…` : text;
}
