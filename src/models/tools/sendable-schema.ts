import { isPattern } from "../../base/pattern.ts";
import { isRecord } from "../../base/record.ts";
import type { Json, JsonSchema } from "../../core/values/json.ts";
import { referredPart } from "./plain-schema.ts";

/** Maximum levels and parts of a schema that is sent as it is. */
const maxDepth = 40;
const maxParts = 3_000;

/** Keywords that vendors refuse at the root. */
const refusedAtRoot = "anyOf oneOf allOf not enum const if then else $ref".split(" ");

interface Whole {
  root: JsonSchema;
  /** Whether a property may have this name. */
  isName: (name: string) => boolean;
}

/**
 * Whether the schema of a tool is a plain object of draft 2020-12 (https://json-schema.org/draft/2020-12/schema), as vendors take it.
 * @param items whether every array must have `items`, and the root `properties`
 */
export function isSendable(schema: JsonSchema, isName: Whole["isName"], items: boolean): boolean {
  if (!isRecord(schema) || schema.type !== "object" || (items && schema.properties === undefined))
    return false;
  if (refusedAtRoot.some((keyword) => keyword in schema)) return false;
  let parts = 0;
  const isPart = (value: Json | undefined, depth: number): boolean => {
    parts += 1;
    if (!isRecord(value) || parts > maxParts || depth > maxDepth) return false;
    if (items && value.items === undefined && [value.type].flat().includes("array")) return false;
    return Object.entries(value).every(([keyword, given]) => {
      const check = Object.hasOwn(checks, keyword) ? checks[keyword] : undefined;
      return check?.(given, (inner) => isPart(inner, depth + 1), { root: schema, isName }) ?? true;
    });
  };
  return isPart(schema, 0);
}

/** Whether the value of a keyword is valid. */
type Check = (given: Json, isPart: (value: Json | undefined) => boolean, whole: Whole) => boolean;

const types: ReadonlySet<Json> = new Set("array boolean integer null number object string".split(" "));
const definition = /^#\/(?:\$defs|definitions)\/[^/]+$/;

const isText: Check = (given) => typeof given === "string";
const isFlag: Check = (given) => typeof given === "boolean";
const isNumber: Check = (given) => typeof given === "number";
const isCount: Check = (given) => Number.isInteger(given) && Number(given) >= 0;
const isDistinct = (given: Json): given is Json[] =>
  Array.isArray(given) && new Set(given.map((value) => JSON.stringify(value))).size === given.length;
const one: Check = (given, isPart) => isPart(given);
const oneOrFlag: Check = (given, isPart) => typeof given === "boolean" || isPart(given);
const several: Check = (given, isPart) => Array.isArray(given) && given.length > 0 && given.every(isPart);
const named: Check = (given, isPart) => isRecord(given) && Object.values(given).every(isPart);
const never: Check = () => false;

/** @param keywords with spaces between */
function checksOf(keywords: string, check: Check): Record<string, Check> {
  return Object.fromEntries(keywords.split(" ").map((keyword) => [keyword, check]));
}

const checks: Readonly<Record<string, Check>> = {
  type: (given) =>
    (Array.isArray(given) ? isDistinct(given) && given.length > 0 : true) &&
    [given].flat().every((name) => types.has(name)),
  properties: (given, isPart, whole) =>
    named(given, isPart, whole) && Object.keys(given ?? {}).every(whole.isName),
  required: (given) => isDistinct(given) && given.every((name) => typeof name === "string"),
  enum: (given) => isDistinct(given) && given.length > 0,
  $ref: (given, _isPart, { root }) =>
    typeof given === "string" && definition.test(given) && referredPart(root, given) !== undefined,
  pattern: (given) => typeof given === "string" && isPattern(given),
  examples: Array.isArray,
  ...checksOf("multipleOf minimum maximum exclusiveMinimum exclusiveMaximum", isNumber),
  ...checksOf(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    isCount,
  ),
  ...checksOf("uniqueItems deprecated readOnly writeOnly", isFlag),
  ...checksOf("$schema title description format $comment contentEncoding contentMediaType", isText),
  ...checksOf("items contains propertyNames not if then else", one),
  ...checksOf("additionalProperties unevaluatedItems unevaluatedProperties", oneOrFlag),
  ...checksOf("anyOf oneOf allOf prefixItems", several),
  ...checksOf("$defs definitions", named),
  ...checksOf("id $id $anchor $dynamicAnchor $recursiveAnchor $recursiveRef additionalItems nullable", never),
  ...checksOf("dependencies dependentRequired dependentSchemas patternProperties", never),
};
