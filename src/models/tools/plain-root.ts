import { isRecord } from "../../base/record.ts";
import {
  canonicalJson,
  type Json,
  type JsonObject,
  type JsonSchema,
  objectOf,
} from "../../core/values/json.ts";
import { referredPart } from "./references.ts";

/** Keywords that vendors refuse at the root; of these, the merged object expresses the references. */
const refused: ReadonlySet<string> = new Set("anyOf oneOf allOf not enum const if then else $ref".split(" "));
const merged: ReadonlySet<string> = new Set(["allOf", "$ref"]);

/** Maximum depth and number of parts that are merged; maximum rules in a description, and characters of each. */
const maxDepth = 8;
const maxParts = 200;
const maxRules = 8;
const maxRule = 600;

/**
 * The schema with a root that is one object without choices: it has the properties of all choices, and requires what holds in every case.
 * `words` state the rest. OpenAI and Anthropic demand this: https://platform.openai.com/docs/guides/function-calling
 */
export function plainRoot(schema: JsonSchema): { root: JsonSchema; words: string } {
  const isPlain = schema.type === "object" && !Object.keys(schema).some((keyword) => refused.has(keyword));
  if (isPlain) return { root: schema, words: "" };
  if (!mayBeObject(schema)) return { root: { type: "object", properties: {} }, words: saying(schema) };
  const parts: Part[] = [];
  collect(schema, { root: schema, parts, isSure: true, depth: 0 });
  const sure = parts.filter(({ isSure }) => isSure).map(({ part }) => part);
  const rest = Object.entries(schema).filter(([keyword]) => !refused.has(keyword));
  const required = [...new Set(sure.flatMap((part) => (Array.isArray(part.required) ? part.required : [])))];
  const rules = sure
    .flatMap((part) => Object.entries(part))
    .filter(([keyword]) => refused.has(keyword) && !merged.has(keyword))
    .slice(0, maxRules);
  const root: JsonSchema = {
    ...Object.fromEntries(rest),
    type: "object",
    properties: propertiesOf(parts.map(({ part }) => part)),
  };
  if (required.length > 0) root.required = required;
  return {
    root,
    words: rules.map(([keyword, value]) => saying({ [keyword]: resolved(value, schema) })).join("\n"),
  };
}

interface Part {
  part: JsonSchema;
  /** Whether it holds in every case. */
  isSure: boolean;
}

function collect(
  part: JsonSchema,
  place: { root: JsonSchema; parts: Part[]; isSure: boolean; depth: number },
): void {
  const { root, parts, isSure, depth } = place;
  if (depth > maxDepth || parts.length >= maxParts || !mayBeObject(part)) return;
  parts.push({ part, isSure });
  const target = typeof part.$ref === "string" ? referredPart(root, part.$ref) : undefined;
  const all = [target, part.allOf ?? []].flat();
  const some = [part.anyOf ?? [], part.oneOf ?? [], part.then, part.else].flat();
  for (const one of all) if (isRecord(one)) collect(one as JsonSchema, { ...place, depth: depth + 1 });
  for (const one of some)
    if (isRecord(one)) collect(one as JsonSchema, { ...place, isSure: false, depth: depth + 1 });
}

function mayBeObject({ type }: JsonSchema): boolean {
  return type === undefined || type === null || [type].flat().includes("object");
}

/** A property that parts describe differently is a choice. */
function propertiesOf(parts: readonly JsonSchema[]): JsonObject {
  const found = new Map<string, Map<string, Json>>();
  for (const { properties } of parts)
    for (const [name, value] of Object.entries(objectOf(properties))) {
      const different = found.get(name) ?? new Map<string, Json>();
      found.set(name, different.set(canonicalJson(value), value));
    }
  return Object.fromEntries(
    [...found].map(([name, values]) => {
      const [first = {}, ...others] = [...values.values()];
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

/** Choices with the parts in place of references to them. */
function resolved(rule: Json, root: JsonSchema): Json {
  if (!Array.isArray(rule)) return rule;
  return rule.map((choice) => {
    const { $ref } = objectOf(choice);
    return (typeof $ref === "string" ? referredPart(root, $ref) : undefined) ?? choice;
  });
}

function saying(rule: JsonObject): string {
  return `The arguments must match: ${ruleText(rule)}`;
}

/** A rule as JSON, cut; properties as their names. */
export function ruleText(rule: JsonObject): string {
  const text = JSON.stringify(rule, (key, value: Json) =>
    key === "properties" && isRecord(value) ? Object.keys(value) : value,
  );
  return text.length > maxRule ? `${text.slice(0, maxRule)}…` : text;
}
