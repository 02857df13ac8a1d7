import { expect, it } from "vitest";
import { CapturedOutput } from "../../../src/process/captured-output.ts";

it.each([
  ["less than the limit", ["ab", "c"], "abc", false],
  ["exactly the limit", ["abc", "de"], "abcde", false],
  ["more than the limit", ["abc", "defg", "h"], "abcde", true],
  ["a character that the limit cuts in two", ["abcd", "ö"], "abcd", true],
])("captured output is kept up to its limit: %s", (_what, chunks, text, truncated) => {
  const output = new CapturedOutput(5);
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  expect(output.text()).toBe(text);
  expect(output.truncated).toBe(truncated);
  expect(output.bytes().length).toBeLessThanOrEqual(5);
});

it("captured output hands lines on as they are complete, the last one at the end, cut at 2,000 characters", () => {
  const lines: string[] = [];
  const output = new CapturedOutput(10_000, (line) => lines.push(line));
  output.add(Buffer.from("one\r\ntw"));
  expect(lines).toEqual(["one"]);
  output.add(Buffer.from(`o\n${"x".repeat(3_000)}\nlast`));
  output.end();
  expect(lines).toEqual(["one", "two", "x".repeat(2_000), "last"]);
});
