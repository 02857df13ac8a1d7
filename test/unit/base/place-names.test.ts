import { describe, expect, it } from "vitest";
import { misspelling, namespaceSpelling, threadSpelling } from "../../../src/base/place-names.ts";
import { namespaceSchema, threadSchema } from "../../../src/core/values/place.ts";

describe("the spelling of a namespace", () => {
  it.each(["console:local:general", "a:b", "a:b:c:d", "", "A:b", "a", "a:b c", `a:${"b".repeat(198)}`])(
    "the spelling of a namespace takes %o as its schema does",
    (text) => {
      const { success } = namespaceSchema.safeParse(text);
      expect(misspelling(text, namespaceSpelling) === undefined).toBe(success);
    },
  );

  it("the spelling of a namespace takes up to 200 characters, and says so", () => {
    expect(misspelling(`a:${"b".repeat(198)}`, namespaceSpelling)).toBeUndefined();
    expect(misspelling(`a:${"b".repeat(199)}`, namespaceSpelling)).toBe("expected at most 200 characters");
  });
});

describe("the spelling of a thread", () => {
  it.each(["t1", "1700000000.000100", "a~b", "", "a b", "a/b", "t".repeat(200), "t".repeat(201)])(
    "the spelling of a thread takes %o as its schema does",
    (text) => {
      const { success } = threadSchema.safeParse(text);
      expect(misspelling(text, threadSpelling) === undefined).toBe(success);
    },
  );
});
