import { describe, expect, it } from "vitest";
import { closeFence } from "../../../../../src/app/chat/present/markdown-fences.ts";
import { splitMarkdown } from "../../../../../src/app/chat/present/split-markdown.ts";

const sentence = (n: number) => `This is sentence number ${n} of a long text that goes on.`;
const paragraph = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => sentence(from + index)).join(" ");
const words = (text: string) => text.split(/\s+/).filter(Boolean);

describe("splitting Markdown", () => {
  it("Markdown that fits is not split, and nothing gives no part", () => {
    expect(splitMarkdown("Hello *you*", 100)).toEqual(["Hello *you*"]);
    expect(splitMarkdown(" \n\n ", 100)).toEqual([]);
  });

  it("splitting Markdown breaks between paragraphs before it breaks one", () => {
    const text = [paragraph(0, 3), paragraph(3, 3), paragraph(6, 3)].join("\n\n");
    const parts = splitMarkdown(text, 400);
    expect(parts).toEqual([`${paragraph(0, 3)}\n\n${paragraph(3, 3)}`, paragraph(6, 3)]);
  });

  it("splitting Markdown breaks a long paragraph at the end of a sentence, and loses no word", () => {
    const text = paragraph(0, 40);
    const parts = splitMarkdown(text, 300);
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(300);
      expect(part).toMatch(/^This is[\s\S]*\.$/);
    }
    expect(words(parts.join(" "))).toEqual(words(text));
  });

  it("splitting Markdown closes a code block and opens it again with the same info string", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `const value${index} = ${index};`);
    const parts = splitMarkdown(`Look:\n\n\`\`\`\`ts title=x\n${lines.join("\n")}\n\`\`\`\`\n\nDone.`, 300);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(300);
      expect(closeFence(part)).toBe(part);
    }
    expect(parts.slice(1, -1).every((part) => part.startsWith("````ts title=x\n"))).toBe(true);
    const code = parts
      .join("\n")
      .split("\n")
      .filter((line) => line.startsWith("const"));
    expect(code).toEqual(lines);
    expect(parts.at(-1)).toMatch(/Done\.$/);
  });

  it("splitting Markdown keeps the list and the indentation of its code block", () => {
    const code = Array.from({ length: 30 }, (_, index) => `   line ${index}`).join("\n");
    const parts = splitMarkdown(`1. first\n2. second\n   \`\`\`sh\n${code}\n   \`\`\`\n3. third`, 120);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(120);
      expect(closeFence(part)).toBe(part);
    }
    expect(parts.join("\n").match(/^ {3}line \d+$/gm)).toHaveLength(30);
    expect(parts.at(-1)).toContain("3. third");
  });

  it("splitting Markdown breaks lists between items", () => {
    const items = Array.from({ length: 20 }, (_, index) => `- item ${index}\n  goes on here`);
    const parts = splitMarkdown(items.join("\n"), 100);
    for (const part of parts) expect(part).toMatch(/^- item \d+\n[\s\S]*goes on here$/);
    expect(parts.join("\n")).toBe(items.join("\n"));
  });

  it("splitting Markdown repeats the header of a table", () => {
    const rows = Array.from({ length: 12 }, (_, index) => `| row ${index} | value |`);
    const parts = splitMarkdown(`| name | value |\n|---|---|\n${rows.join("\n")}`, 120);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part).toMatch(/^\| name \| value \|\n\|---\|---\|\n\| row/);
    expect(parts.join("\n").match(/^\| row \d+ /gm)).toHaveLength(12);
  });

  it("splitting Markdown never breaks a link or inline code", () => {
    const link = "[a page with a title](https://example.com/a/very/long/address?with=query)";
    const code = "`some inline code with spaces`";
    const text = Array.from({ length: 12 }, () => `word ${link} and ${code}`).join(" ");
    const parts = splitMarkdown(text, 200);
    const whole = parts.join(" ");
    expect(whole.split(link)).toHaveLength(13);
    expect(whole.split(code)).toHaveLength(13);
    for (const part of parts) expect(part.split("`").length % 2).toBe(1);
  });

  it("splitting Markdown never cuts a character that people see as one", () => {
    const family = "👨‍👩‍👧‍👦";
    const parts = splitMarkdown(family.repeat(30), 50);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(50);
      expect(part.replaceAll(family, "")).toBe("");
    }
    expect(parts.join("")).toBe(family.repeat(30));
  });

  it("splitting Markdown does not leave a heading alone at the end of a part", () => {
    const parts = splitMarkdown(`${paragraph(0, 4)}\n\n## Next\n\n${paragraph(4, 4)}`, 300);
    expect(parts[1]).toMatch(/^## Next\n\nThis is/);
  });

  it.each([
    ["one long word", "x".repeat(5_000)],
    ["only fences", "```\n```\n".repeat(300)],
    ["an open fence", `\`\`\`js\n${"code\n".repeat(900)}`],
    ["nested lists", Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i % 6)}- item ${i}`).join("\n")],
    ["a quote with code", `> \`\`\`js\n${"> code\n".repeat(500)}> \`\`\`\n`],
    ["blank lines", `a${"\n".repeat(4_000)}b`],
    ["many emoji", "👩‍🚀 ".repeat(900)],
    ["a table of long cells", `| a | b |\n|-|-|\n${`| ${"cell ".repeat(200)} | b |\n`.repeat(5)}`],
    ["quotes in quotes", `${"> ".repeat(5_000)}deep`],
    ["indented code", "    code\n".repeat(45)],
    ["a long info string", `\`\`\`${"i".repeat(900)}\n${"code\n".repeat(50)}\`\`\``],
  ])("splitting Markdown keeps to the limit with %s", (_name, text) => {
    const parts = splitMarkdown(text, 400);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(400);
      expect(part.trim()).not.toBe("");
      expect(part.isWellFormed()).toBe(true);
    }
    const letters = (of: string) => of.replace(/[^a-z0-9👩🚀]/gu, "").replaceAll("js", "").length;
    if (!text.includes("iiii") && !text.includes("cell")) expect(letters(parts.join(""))).toBe(letters(text));
  });

  it.each([
    ["emphasis that never ends", "_a".repeat(100_000)],
    ["one list item of many lines", `- a\n${"b\n".repeat(50_000)}`],
    ["quotes of many depths", Array.from({ length: 900 }, (_, i) => `${">".repeat(i % 300)} a\n`).join("")],
    ["numbers in numbers", "1. ".repeat(60_000)],
  ])("splitting Markdown takes time in proportion to its length, as with %s", (_name, text) => {
    const begun = performance.now();
    expect(splitMarkdown(text, 4_000).length).toBeGreaterThan(10);
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it("splitting Markdown repeats the header of a table in a long text, and keeps a heading with what follows", () => {
    const rows = Array.from({ length: 300 }, (_, i) => `| ${i} | a row of the table |\n`).join("");
    const text = `${"A paragraph of words.\n\n".repeat(300)}## Numbers\n\n| n | what |\n|---|---|\n${rows}`;
    const parts = splitMarkdown(text, 2_000);
    const ofTable = parts.filter((part) => part.includes("a row of the table"));
    expect(ofTable.length).toBeGreaterThan(3);
    for (const part of ofTable) expect(part).toMatch(/\| n \| what \|\n\|---\|---\|\n\| \d/);
    expect(parts.filter((part) => part.endsWith("Numbers"))).toEqual([]);
  });
});
