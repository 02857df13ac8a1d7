import { describe, expect, it } from "vitest";
import { cutForModel, cut as cutTo } from "../../../../src/core/values/cut.ts";
import { outputText } from "../../../../src/core/values/json.ts";
import { countTokens } from "../../../../src/models/count-tokens.ts";

const cut = (text: string, tokens: number) => cutForModel(text, tokens, 'a"b', countTokens);

describe("a part of a text", () => {
  const lines = "0123456789\n".repeat(100);
  it.each<[string, string, number, string, string]>([
    ["that fits is the whole", "short", 5, "", "short"],
    ["from its beginning", lines, 25, "", `[cut: the first 22 of 1100 characters]\n${lines.slice(0, 22)}`],
    ["from its end", lines, -25, "", `[cut: the last 22 of 1100 characters]\n${lines.slice(-22)}`],
    [
      "with more elsewhere",
      "x".repeat(9),
      4,
      "call more()",
      "[cut: the first 4 of 9 characters; call more()]\nxxxx",
    ],
    [
      "between characters",
      "\u{1F600}".repeat(9),
      5,
      "",
      "[cut: the first 4 of 18 characters]\n\u{1F600}\u{1F600}",
    ],
  ])("a part of a text %s, after a note of how much it is", (_, text, max, rest, part) => {
    expect(cutTo(text, max, rest)).toBe(part);
  });
});

describe("a text that is too long for the model", () => {
  it("a text too long for the model keeps its beginning and end at line ends, and says how to read the rest", () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`);
    const text = cut(lines.join(""), 1_000);
    expect(countTokens(text)).toBeLessThan(1_100);
    const [head = "", note = "", tail = ""] = text.split(/(\[cut: .*\]\n)/);
    expect(lines.join("").startsWith(head) && head.endsWith("\n")).toBe(true);
    expect(lines.join("").endsWith(tail) && tail.startsWith("line ")).toBe(true);
    expect(head.length / tail.length).toBeGreaterThan(2);
    const left = lines.join("").length - head.length - tail.length;
    const leftLines = 5_000 - head.split("\n").length - tail.split("\n").length + 2;
    expect(note).toBe(
      `[cut: ${left} characters, ${leftLines} lines; read_file(path: "a\\"b", offset: ${head.length}) reads on, read_file(path: "a\\"b", search: "words") finds a place]\n`,
    );
  });

  it.each([
    ["emoji", "\u{1F600}".repeat(100_000)],
    ["one line", "word ".repeat(100_000)],
    ["quotes", '"'.repeat(100_000)],
    ["empty lines", "\n".repeat(100_000)],
  ])("a text too long for the model never has a character cut in two: %s", (_, text) => {
    for (const tokens of [200, 201, 333]) {
      const shown = cut(text, tokens);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThan(5_000);
    }
  });

  it("a text that fits is shown whole", () => {
    expect(cut("word ".repeat(100), 500)).toBe("word ".repeat(100));
  });
});

describe("an output as text", () => {
  it("an output as text is compact when it is short, and one value a line when it is long", () => {
    expect(outputText({ a: 1, b: ["x"] })).toBe('{"a":1,"b":["x"]}');
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `Person ${id}`, tags: ["a", "b"] }));
    const text = outputText({ total: 50, rows });
    expect(JSON.parse(text)).toEqual({ total: 50, rows });
    expect(text.split("\n").slice(0, 4)).toEqual([
      "{",
      ' "total":50,',
      ' "rows":[',
      '  {"id":0,"name":"Person 0","tags":["a","b"]},',
    ]);
  });

  it("an output as text shows the long texts of an object unchanged, after what is said about them", () => {
    const stdout = `${"a line\n".repeat(40)}"the end"`;
    expect(outputText({ content: stdout })).toBe(stdout);
    expect(outputText({ stdout, exit_code: 0, files: [] })).toBe(
      `{"exit_code":0,"files":[]}\n\nstdout:\n${stdout}`,
    );
    expect(outputText({ error: stdout, code: "x" })).toBe(JSON.stringify({ error: stdout, code: "x" }));
  });

  it("an output as text lays out long JSON texts, with every digit of their numbers", () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `Person ${id}` }));
    expect(outputText(JSON.stringify(rows))).toBe(outputText(rows));
    const exact = JSON.stringify(rows).replace('"id":7', '"id":12345678901234567890');
    expect(outputText(exact)).toBe(outputText(rows).replace('"id":7', '"id":12345678901234567890'));
    expect(outputText(`${JSON.stringify(rows)} and more`)).toContain("and more");
  });

  it("an output as text survives deep nesting", () => {
    const deep = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
    expect(outputText(deep).replace(/\s/g, "")).toBe(JSON.stringify(deep));
  });
});
