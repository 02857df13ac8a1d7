import { expect, test } from "vitest";
import { exactJson } from "../../../../src/core/values/shown.ts";

test("characters that hide or reorder text are shown as escapes, and the JSON stays the same", () => {
  const value = {
    to: "ada\u202emoc.elpmaxe@",
    note: "zero\u200bwidth, soft\u00adhyphen",
    tags: "yes\u{e0041}\u{e0100}, filler\u3164",
    plain: "é 漢字 🎉",
  };
  const text = exactJson(value);
  expect(text).toContain("ada\\u202emoc");
  expect(text).toContain("zero\\u200bwidth, soft\\u00adhyphen");
  expect(text).toContain("yes\\udb40\\udc41\\udb40\\udd00, filler\\u3164");
  expect(text).toContain("é 漢字 🎉");
  expect(JSON.parse(text)).toEqual(value);
});
