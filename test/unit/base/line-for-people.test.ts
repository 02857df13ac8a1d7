import { expect, test } from "vitest";
import { lineForPeople } from "../../../src/base/line-for-people.ts";

test.each([
  ["Draws charts. Use it when numbers are compared.", "Draws charts."],
  [
    "Use this skill when the user wants to merge PDF files. Never for images.",
    "Merge PDF files. Never for images.",
  ],
  ["Use when: there is a queue. Reads the queue.", "Reads the queue."],
  ["use for translating texts", "Translating texts"],
  ["Reads a page\n  at an address", "Reads a page at an address"],
  ["", ""],
])("the line for people about %j is %j", (description, line) => {
  expect(lineForPeople(description, 100)).toBe(line);
});

test("the line for people is cut at a word, and between characters where there are no words", () => {
  const words = lineForPeople("Reads the pages of a website, one after the other", 30);
  expect(words).toBe("Reads the pages of a website…");
  expect(lineForPeople("Reads the pages of reada bility", 25)).toBe("Reads the pages of reada…");
  expect(lineForPeople("読".repeat(200), 100)).toBe(`${"読".repeat(99)}…`);
});
