import { expect, it } from "vitest";
import { parseJson } from "../../../../src/core/values/json.ts";

const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => at));
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at])));

it.each([
  ["lists within lists", `${"[".repeat(100)}${"]".repeat(100)}`],
  ["a long list", numbers(100_000)],
  ["an object", members(5_000)],
  ["many objects", JSON.stringify(Array.from({ length: 20_000 }, () => ({ a: 1, b: 2 })))],
  ["signs in strings", JSON.stringify({ "[{,": `\\"${"[,{".repeat(200_000)}\\` })],
])("JSON from outside is read: %s", (_what, text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

it.each([
  ["nested too deeply", `${"[".repeat(101)}${"]".repeat(101)}`, "nested more than 100 levels deep"],
  ["too long a list", numbers(100_001), "more than 100,000 values"],
  ["too large an object", members(5_001), "more than 5,000 members"],
  ["too large an object behind a list", `{"a":[1,2],"b":${members(5_001)}}`, "more than 5,000 members"],
  ["no JSON", "{,,", "JSON"],
])("JSON from outside is refused with a reason: %s [text-4]", (_what, text, reason) => {
  expect(() => parseJson(text)).toThrow(reason);
});
