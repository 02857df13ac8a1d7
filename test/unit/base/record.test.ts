import { expect, test } from "vitest";
import { parseExactly } from "../../../src/base/exact-number.ts";
import { isRecord, mapTexts } from "../../../src/base/record.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["text", false],
  [() => undefined, false],
])("%o is an object with members: %s", (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});

test("texts are changed at any depth, while names and other values stay", () => {
  const exact = parseExactly("12345678901234567890");
  const value = { a: "x", list: ["y", { b: "z" }], n: 1, none: null, exact };
  expect(mapTexts(value, (text) => text.toUpperCase())).toEqual({
    ...value,
    a: "X",
    list: ["Y", { b: "Z" }],
  });
});
