import { describe, expect, it } from "vitest";
import { costOf } from "../../../src/models/prices.ts";

describe("the cost of a model call", () => {
  const usage = { input_tokens: 1000, output_tokens: 500 };

  it("is counted per million tokens", () => {
    expect(costOf("openai/a", usage, { "openai/a": { input: 2, output: 8 } })).toBeCloseTo(0.006, 12);
  });

  it("takes cached tokens at their own price, or at the input price when they have none", () => {
    const cached = { ...usage, cached_tokens: 400 };
    expect(costOf("a", cached, { a: { input: 2, output: 8, cached_input: 0.5 } })).toBeCloseTo(0.0054, 12);
    expect(costOf("a", cached, { a: { input: 2, output: 8 } })).toBeCloseTo(0.006, 12);
  });

  it.each(["openai/b", "toString", "__proto__"])("is unknown for %s, which has no price", (model) => {
    expect(costOf(model, usage, { "openai/a": { input: 2, output: 8 } })).toBeUndefined();
  });
});
