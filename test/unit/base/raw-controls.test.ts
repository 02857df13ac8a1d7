import { expect, it } from "vitest";
import { escapeRawControls } from "../../../src/base/text/raw-controls.ts";

it.each([
  ['{"text": "one\ntwo\tthree"}', { text: "one\ntwo\tthree" }],
  ['{"a\nb": "\\\\\n\\"\u0001"}', { "a\nb": '\\\n"\u0001' }],
  ['{\n\t"a": "b"\n}', { a: "b" }],
])("raw control characters within strings are read: %j", (text, value) => {
  expect(JSON.parse(escapeRawControls(text))).toEqual(value);
});

it.each(["{not json", "{'a': 1}", '{"a": 1,}', '{"a": "b', '{"a": "\\\n"}', ""])(
  "raw control characters outside strings are not read: %j",
  (text) => {
    expect(() => JSON.parse(escapeRawControls(text))).toThrow(SyntaxError);
  },
);

it("valid JSON with escaped controls stays the same text", () => {
  const text = '{\n  "id": 1175013331821920257, "text": "a\\nb"\n}';
  expect(escapeRawControls(text)).toBe(text);
});
