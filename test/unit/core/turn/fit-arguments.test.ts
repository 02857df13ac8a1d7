import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../../src/base/exact-number.ts";
import { fitArguments } from "../../../../src/core/turn/check-call.ts";
import type { JsonSchema } from "../../../../src/core/values/json.ts";

const string: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };
const integer: JsonSchema = { type: "integer" };
const boolean: JsonSchema = { type: "boolean" };
const list: JsonSchema = { type: "array", items: number };
const object: JsonSchema = { type: "object", properties: { n: number } };

const fitted = (schema: JsonSchema, value: unknown) =>
  (fitArguments({ type: "object", properties: { value: schema } }, { value }) as { value: unknown }).value;

describe("an argument that says the same in the type of the schema becomes that type", () => {
  it.each<[JsonSchema, unknown, unknown]>([
    [integer, "1", 1],
    [integer, "-3.0", -3],
    [number, "35.7", 35.7],
    [number, " 0 ", 0],
    [number, "1.50", 1.5],
    [string, 35.7, "35.7"],
    [string, 4711, "4711"],
    [number, "12345678901234567890", new ExactNumber("12345678901234567890")],
    [integer, new ExactNumber("1175013331821920257"), new ExactNumber("1175013331821920257")],
    [string, new ExactNumber("1175013331821920257"), "1175013331821920257"],
    [list, [new ExactNumber("1e400")], [new ExactNumber("1e400")]],
    [boolean, "true", true],
    [boolean, "false", false],
    [list, "[1, 2]", [1, 2]],
    [list, '["1", 2]', [1, 2]],
    [object, '{"n": "2"}', { n: 2 }],
    [{ type: ["integer", "null"] }, "7", 7],
    [{ anyOf: [integer, { type: "null" }] }, "7", 7],
    [{ enum: [1, 2] }, "2", 2],
    [{ enum: ["1", "2"] }, 2, "2"],
    [{ type: "object", additionalProperties: string }, { a: 1 }, { a: "1" }],
  ])("an argument of the schema %j takes %j as %j", (schema, value, expected) => {
    expect(fitted(schema, value)).toEqual(expected);
  });
});

describe("an argument that would lose something, or fits already, stays as it is", () => {
  it.each<[JsonSchema, unknown]>([
    [integer, "35.7"],
    [integer, new ExactNumber("9007199254740993.5")],
    [integer, "one"],
    [integer, ""],
    [number, "007"],
    [number, "0x10"],
    [number, "1 000"],
    [string, 2 ** 60],
    [string, true],
    [string, { a: 1 }],
    [boolean, "yes"],
    [boolean, 1],
    [list, "1, 2"],
    [list, '{"n": 1}'],
    [object, "[1]"],
    [object, "{broken"],
    [object, `{"n": ${"[".repeat(200)}${"]".repeat(200)}}`],
    [{ enum: [1, 2] }, "3"],
    [{ anyOf: [string, number] }, "1"],
    [{ type: ["string", "number"] }, 1],
    [{}, "1"],
    [number, null],
  ])("an argument of the schema %j stays %j", (schema, value) => {
    expect(fitted(schema, value)).toEqual(value);
  });
});

describe("a missing argument", () => {
  const schema: JsonSchema = {
    type: "object",
    required: ["scale", "type"],
    properties: { scale: { type: "string", default: "css" }, type: string, note: { default: "x" } },
  };

  it("a missing argument gets its default even where the schema requires it", () => {
    expect(fitArguments(schema, { type: "png" })).toEqual({ type: "png", scale: "css" });
    expect(fitArguments(schema, { type: "png", scale: "device" })).toEqual({ type: "png", scale: "device" });
  });
});

it("fitting arguments follows references within the schema, and survives circles", () => {
  const schema: JsonSchema = {
    $defs: {
      "a/b": { type: "object", properties: { n: integer, more: { $ref: "#/$defs/a~1b" } } },
      loop: { $ref: "#/$defs/loop" },
    },
    type: "object",
    properties: { tree: { $ref: "#/$defs/a~1b" }, round: { $ref: "#/$defs/loop" } },
  };
  expect(fitArguments(schema, { tree: { n: "1", more: { n: "2" } }, round: "1" })).toEqual({
    tree: { n: 1, more: { n: 2 } },
    round: "1",
  });
});

it.each([["text"], [7], [[1]]])("arguments that are not an object are left alone: %j", (input) => {
  expect(fitArguments(object, input)).toEqual(input);
});
