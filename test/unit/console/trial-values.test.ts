import { expect, test } from "vitest";
import { presetText, readTrialValues } from "../../../src/console/skills/trial-values.ts";

const parameter = (
  name: string,
  type: "string" | "number" | "boolean" | "object" | "array",
  more: { required?: boolean; default?: string | number | string[]; enum?: (string | number)[] } = {},
) => ({ name, type, description: "", required: false, ...more });

const read = (parameters: ReturnType<typeof parameter>[], texts: Record<string, string>) =>
  readTrialValues(parameters, new Map(Object.entries(texts)));

test("each field becomes a value of its parameter's type", () => {
  const parameters = [
    parameter("text", "string"),
    parameter("count", "number"),
    parameter("loud", "boolean"),
    parameter("tags", "array"),
    parameter("filter", "object"),
  ];
  const texts = { text: " as it is ", count: "2.5", loud: "false", tags: '["a"]', filter: '{"b": 1}' };
  expect(read(parameters, texts)).toEqual({
    ok: true,
    values: { text: " as it is ", count: 2.5, loud: false, tags: ["a"], filter: { b: 1 } },
  });
});

test("an empty field is left out, so that the skill's own default counts", () => {
  const parameters = [
    parameter("count", "number", { required: true, default: 3 }),
    parameter("text", "string"),
  ];
  expect(read(parameters, { count: " ", text: "" })).toEqual({ ok: true, values: {} });
});

test("a choice keeps the type it has in the list", () => {
  const parameters = [parameter("size", "string", { enum: [1, "1.0", "big"] })];
  expect(read(parameters, { size: "1" })).toEqual({ ok: true, values: { size: 1 } });
  expect(read(parameters, { size: "1.0" })).toEqual({ ok: true, values: { size: "1.0" } });
});

test.each([
  ["a needed field that is empty", parameter("a", "string", { required: true }), ""],
  ["a word for a number", parameter("a", "number"), "three"],
  ["a number without end", parameter("a", "number"), "Infinity"],
  ["a list for an object", parameter("a", "object"), "[]"],
  ["an object for a list", parameter("a", "array"), "{}"],
  ["no JSON", parameter("a", "array"), "a, b"],
])("the field with a mistake is named: %s", (_, wrong, text) => {
  expect(read([wrong], { a: text })).toMatchObject({
    ok: false,
    field: "a",
    problem: expect.stringContaining("a"),
  });
});

test("presets are shown as people would write them", () => {
  expect([
    presetText("x"),
    presetText(3),
    presetText(["a"]),
    presetText(null),
    presetText(undefined),
  ]).toEqual(["x", "3", '["a"]', "", ""]);
});
