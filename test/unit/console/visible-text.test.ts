import { expect, test } from "vitest";
import { visibleText } from "../../../src/console/skills/visible-text.ts";

test.each([
  ["a turned direction", "a\u202eb", "a\\u{202e}b"],
  ["a character without width", "a\u200bb", "a\\u{200b}b"],
  ["letters that show nothing beyond the first plane", "a\u{e0041}b", "a\\u{e0041}b"],
  ["a control character", "a\u001b[2Jb", "a\\u{001b}[2Jb"],
  ["a separator of lines", "a\u2028b", "a\\u{2028}b"],
])("%s is made visible", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("ordinary text of any language is unchanged, with its line breaks", () => {
  const text = "Grüße, 你好\nשלום 🌦";
  expect(visibleText(text)).toBe(text);
});
