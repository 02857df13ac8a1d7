import { expect, it } from "vitest";
import {
  compareDecimals,
  decimal,
  ExactNumber,
  parseExactly,
  replaceExact,
} from "../../../src/base/exact-number.ts";
import { isContainer, isRecord } from "../../../src/base/record.ts";

it.each([
  "1175013331821920257",
  "-9007199254740993",
  "9007199254740993.5",
  "0.1000000000000000055",
  "52.370216000000003",
  "1e400",
  "-1E+400",
  "1e-400",
  "123456789012345678901234567890",
])("the number %s keeps its digits", (digits) => {
  const text = `{"id":${digits},"list":[${digits}, 1],"text":"${digits}"}`;
  const value = parseExactly(text) as { id: unknown };
  expect(value.id).toEqual(new ExactNumber(digits));
  expect(JSON.stringify(value)).toBe(text.replace(", 1", ",1"));
  expect(`${value.id}`).toBe(digits);
  expect([isRecord(value.id), isContainer(value.id)]).toEqual([false, false]);
  expect(parseExactly(digits)).toEqual(new ExactNumber(digits));
});

it.each([
  ["0", 0],
  ["-0.0", -0],
  ["1.50", 1.5],
  ["1E2", 100],
  ["100000000000000000000000", 1e23],
  ["1175013331821920300", 1175013331821920300],
  ["9007199254740992", 2 ** 53],
  ["0.30000000000000004", 0.1 + 0.2],
  ["5e-324", 5e-324],
])("the number %s is an ordinary number", (text, value) => {
  expect(parseExactly(`[${text}]`)).toEqual([value]);
});

it("a number of many digits takes linear time, and members with odd names stay", () => {
  const digits = `${"1".repeat(200_000)}${"0".repeat(200_000)}1`;
  expect(JSON.stringify(parseExactly(`{"__proto__":${digits}}`))).toBe(`{"__proto__":${digits}}`);
});

it("only numbers that lose digits are replaced, and only outside of strings", () => {
  const text = String.raw`{"a\"1175013331821920257":1175013331821920257,"b":"-1175013331821920257 \\","c":[1e2,-1e400]}`;
  expect(replaceExact(text, (digits) => `"${digits}"`)).toBe(
    String.raw`{"a\"1175013331821920257":"1175013331821920257","b":"-1175013331821920257 \\","c":[1e2,"-1e400"]}`,
  );
});

it("numbers are compared with all their digits", () => {
  const sorted = [
    "-1e400",
    "-12",
    "-1.23",
    "0",
    "1e-400",
    "0.1",
    "0.1000000000000000055",
    "9",
    "10",
    "1e400",
  ];
  const compare = (a: string, b: string) => compareDecimals(decimal(a) ?? "", decimal(b) ?? "");
  expect([...sorted].reverse().sort(compare)).toEqual(sorted);
  expect(compare("1.50e1", "15")).toBe(0);
});
