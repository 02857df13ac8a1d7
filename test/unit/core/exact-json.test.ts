import { expect, test } from "vitest";
import { exactJson } from "../../../src/core/exact-json.ts";

test("what hides or reorders text is shown as an escape, and stays the same JSON", () => {
  const value = {
    to: "ada\u202emoc.elpmaxe@",
    note: "zero\u200bwidth, soft\u00adhyphen",
    plain: "é 漢字 🎉",
  };
  const text = exactJson(value);
  expect(text).toContain("ada\\u202emoc");
  expect(text).toContain("zero\\u200bwidth, soft\\u00adhyphen");
  expect(text).toContain("é 漢字 🎉");
  expect(JSON.parse(text)).toEqual(value);
});
