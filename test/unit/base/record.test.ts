import { expect, test } from "vitest";
import { isRecord } from "../../../src/base/record.ts";

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
