import { expect, it } from "vitest";
import type { JsonSchema } from "../../../src/core/values/json.ts";
import { plainSchema } from "../../../src/models/tools/plain-schema.ts";

const text = { type: "string" };

it.each<[what: string, property: JsonSchema, plain: JsonSchema]>([
  [
    "constraints are told",
    { type: "string", format: "date", description: "Day" },
    { type: "string", description: 'Day\nformat: "date"' },
  ],
  ["a constant is a list of one", { const: "a" }, { type: "string", enum: ["a"] }],
  [
    "numbers to choose from are told",
    { type: "integer", enum: [1, 2] },
    { type: "integer", description: "one of: [1,2]" },
  ],
  [
    "an empty text to choose is told",
    { type: "string", enum: ["", "a"] },
    { type: "string", description: 'one of: ["","a"]' },
  ],
  [
    "texts to choose from are text, whatever the type",
    { type: "integer", enum: ["1"] },
    { type: "string", enum: ["1"] },
  ],
  [
    "a property that does not exist is not required",
    { type: "object", properties: { a: text }, required: ["a", "b"] },
    { type: "object", properties: { a: text }, required: ["a"] },
  ],
  [
    "nothing is required of an object without properties",
    { type: "object", required: ["a"] },
    { type: "object" },
  ],
  ["null beside a type is left out", { type: ["string", "null"] }, text],
  ["oneOf is anyOf", { oneOf: [text, { type: "null" }] }, { anyOf: [text, { type: "null" }] }],
  ["references are followed", { $ref: "#/$defs/name" }, { type: "string", description: "A name" }],
  [
    "allOf is put together",
    { allOf: [{ type: "object", properties: { a: text }, required: ["a"] }, { properties: { b: text } }] },
    { type: "object", properties: { a: text, b: text }, required: ["a"] },
  ],
  [
    "keys that are not named are told",
    { type: "object", propertyNames: text, additionalProperties: text },
    { type: "object", description: 'Any keys; each value: {"type":"string"}' },
  ],
  ["a list says of what it is", { type: "array" }, { type: "array", items: {} }],
])("plain keywords express a schema: %s", (_what, property, plain) => {
  const $defs = { name: { type: "string", description: "A name" } };
  expect(
    plainSchema({
      type: "object",
      properties: { it: property },
      required: ["it"],
      additionalProperties: false,
      $defs,
    }),
  ).toEqual({
    type: "object",
    properties: { it: plain },
    required: ["it"],
  });
});

it("a schema that contains itself is made finite", () => {
  const node: JsonSchema = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
  expect(plainSchema({ $ref: "#/$defs/node", $defs: { node } })).toEqual({
    type: "object",
    properties: { next: { type: "object" } },
  });
});

it("nested references do not multiply without end", () => {
  const next = (at: number) => Array.from({ length: 20 }, () => ({ $ref: `#/$defs/d${at + 1}` }));
  const $defs = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`d${at}`, at === 11 ? text : { anyOf: next(at) }]),
  );
  const plain = plainSchema({
    type: "object",
    properties: { it: { $ref: "#/$defs/d0" }, other: text },
    $defs,
  });
  expect(JSON.stringify(plain).length).toBeLessThan(200_000);
});
