import { describe, expect, it } from "vitest";
import { parsedJson, readJson } from "../../../src/base/json-reader.ts";

const bom = "\uFEFF";

describe("JSON as editors write it", () => {
  it.each([
    ['{"a":1}', { a: 1 }, false],
    [`${bom}[1]`, [1], false],
    ["null", null, false],
    ['{"a":1,}', { a: 1 }, true],
    ["[1, 2 ,\n]", [1, 2], true],
    ['{"a":[1,],}', { a: [1] }, true],
    ['// said first\n{"a":1 /* here */}', { a: 1 }, true],
    [`${bom}{"a":1}// last`, { a: 1 }, true],
    ['{"a":"// , ] /* stays */",}', { a: "// , ] /* stays */" }, true],
    ['{"a":"\\",}",}', { a: '",}' }, true],
  ])("JSON as editors write it is read: %j", (text, value, lenient) => {
    expect(readJson(text)).toEqual({ ok: true, value, lenient });
  });

  it.each(["", "[,]", "[1,,]", '{"a":1', '{"a":1 /* no end }', "{a:1}", "{'a':1}", '["no end]'])(
    "text that is not JSON is not guessed at: %j",
    (text) => {
      expect(readJson(text).ok).toBe(false);
    },
  );

  it("a JSON mistake is named with its place in the text as it was written", () => {
    const read = readJson('{\n  // a comment\n  "a": 1,\n  "b" 2,\n}');
    expect(read).toMatchObject({ ok: false, reason: expect.stringContaining("line 4 column 7") });
  });
});

describe("repair", () => {
  const fixed = () => '{"fixed":true}';

  it("JSON repair is asked for any other mistake, with the text as it was written", () => {
    const asked: string[] = [];
    const read = readJson(`${bom}{a:1,}`, (text) => {
      asked.push(text);
      return fixed();
    });
    expect(read).toEqual({ ok: true, value: { fixed: true }, lenient: true });
    expect(asked).toEqual(["{a:1,}"]);
  });

  it("JSON repair is not asked for what can be read without it", () => {
    expect(readJson("[1,]", fixed)).toEqual({ ok: true, value: [1], lenient: true });
  });

  it("JSON repair is not asked for long text", () => {
    expect(readJson(`{${" ".repeat(5_000)}`, fixed).ok).toBe(false);
    expect(readJson(`{${" ".repeat(4_000)}`, fixed).ok).toBe(true);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("beyond repair");
      },
    ],
    ["makes no JSON", () => "{"],
  ])("a JSON repair that %s leaves the first reason", (_what, repair) => {
    expect(readJson("{", repair)).toEqual(readJson("{"));
  });
});

it.each([
  ["commas", ",".repeat(500_000)],
  ["spaces", `[${" ".repeat(500_000)}`],
  ["commas and spaces", `[${", ".repeat(250_000)}`],
  ["comments that do not end", "/*".repeat(250_000)],
  ["slashes", "/".repeat(500_000)],
  ["strings that do not end", `["${'\\"'.repeat(250_000)}`],
  ["quotes", '"'.repeat(499_999)],
  ["brackets", "[".repeat(500_000)],
])("hostile text takes no time: %s", (_what, text) => {
  const start = performance.now();
  expect(readJson(text).ok).toBe(false);
  expect(performance.now() - start).toBeLessThan(2_000);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ["null", null],
  ["{", undefined],
  ["", undefined],
])("the value of the text %s, which may be no JSON, is %o", (text, value) => {
  expect(parsedJson(text)).toEqual(value);
});
