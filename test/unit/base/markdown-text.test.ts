import { expect, it } from "vitest";
import { beginningOf, cutText, escapeMarkdown, oneLine } from "../../../src/base/markdown-text.ts";

it.each([
  ["*bold* _and_ `code`", "\\*bold\\* \\_and\\_ \\`code\\`"],
  ["<@U1> [a](b) #x ~y~ a|b \\", "\\<@U1\\> \\[a\\](b) \\#x \\~y\\~ a\\|b \\\\"],
  ["plain words, 1.5 and 2!", "plain words, 1.5 and 2!"],
])("the Markdown text %j is escaped so that it is shown as it is", (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});

it.each([
  ["two\n lines\tand  more", 40, "two lines and more"],
  ["turned \u202egnorw\u202c around", 40, "turned gnorw around"],
  ["longer than allowed", 10, "longer th…"],
  ["", 10, ""],
])("the text %j is one line of at most %i characters", (text, longest, line) => {
  expect(oneLine(text, longest)).toBe(line);
});

it("a text is not cut within a character", () => {
  expect(cutText("ab😀cd", 4).isWellFormed()).toBe(true);
});

it("the rest of a cut text ends with a whole visible character", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(beginningOf(`ab${family}cd`, 8)).toBe("ab");
  expect(beginningOf("😀".repeat(120), 79)).toBe("😀".repeat(39));
  expect(beginningOf("e\u0301e\u0301", 3)).toBe("e\u0301");
  expect(beginningOf("plain", 3)).toBe("pla");
  const marked = beginningOf(`a${"\u0301".repeat(500)}`, 300);
  expect(marked.length).toBe(300);
});
