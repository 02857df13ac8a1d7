import { expect } from "vitest";

/** One JSON value a line, and nothing else. */
export function jsonLines(text: string): unknown[] {
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
