import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.ts";
import { costOf, type MeteredUsage, pricedUsage } from "../../../src/models/prices.ts";

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

  it("takes tokens written to the cache at their own price, those kept for an hour at twice the input price", () => {
    const written = { ...usage, cached_tokens: 100, cache_write_tokens: 600, cache_write_1h_tokens: 200 };
    const price = { input: 2, output: 8, cached_input: 0.2, cache_write: 2.5 };
    const perMillion = 300 * 2 + 100 * 0.2 + 400 * 2.5 + 200 * 4 + 500 * 8;
    expect(costOf("a", written, { a: price })).toBeCloseTo(perMillion / 1e6, 12);
    expect(costOf("a", { ...usage, cache_write_tokens: 600 }, { a: { input: 2, output: 8 } })).toBe(0.006);
  });

  it("is higher for all of a request with more input than the price is for, cached tokens included", () => {
    const price = { input: 2, output: 10, cached_input: 0.1, cache_write: 2.5 };
    const table = { a: { ...price, above: { tokens: 272_000, input_factor: 2, output_factor: 1.5 } } };
    const upTo = { input_tokens: 272_000, cached_tokens: 200_000, cache_write_tokens: 0, output_tokens: 100 };
    expect(costOf("a", upTo, table)).toBeCloseTo((72_000 * 2 + 200_000 * 0.1 + 100 * 10) / 1e6, 12);
    const over = { ...upTo, input_tokens: 272_001, cache_write_tokens: 1 };
    const perMillion = 72_000 * 4 + 200_000 * 0.2 + 5 + 100 * 15;
    expect(costOf("a", over, table)).toBeCloseTo(perMillion / 1e6, 12);
  });

  it("is never negative, whatever a server counts", () => {
    expect(
      costOf("a", { ...usage, cached_tokens: 5_000 }, { a: { input: 2, output: 0, cached_input: 0 } }),
    ).toBe(0);
  });

  it.each(["openai/b", "toString", "__proto__"])("is unknown for %s, which has no price", (model) => {
    expect(costOf(model, usage, { "openai/a": { input: 2, output: 8 } })).toBeUndefined();
  });
});

it("what a model call used has its cost, and counts of the cache where there are any", () => {
  const call = { input_tokens: 10, output_tokens: 3 };
  const counted = { ...call, cached_tokens: 4, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
  expect(pricedUsage("a", counted, {})).toStrictEqual({ ...call, cached_tokens: 4 });
  expect(pricedUsage("a", call, { a: { input: 1e6, output: 0 } })).toStrictEqual({ ...call, cost_usd: 10 });
});

describe("list prices", () => {
  const cost = (model: string, usage: MeteredUsage) =>
    costOf(model, usage, configSchema.parse({}).model.prices);

  it.each([
    ["openai/gpt-6.1-terra", 300_000, 2 * 0.3 + 7.5 * 0.001],
    ["openai/gpt-6.1-terra", 200_000, 0.2 + 5 * 0.001],
    ["anthropic/claude-haiku-5-5", 200_000, 0.5 * 0.2 + 2.5 * 0.001],
    ["anthropic/claude-sonnet-5-5", 300_000, 2 * 0.3 + 10 * 0.001],
  ])("%s with %d tokens of input", (model, input_tokens, dollars) => {
    expect(cost(model, { input_tokens, output_tokens: 1_000 })).toBeCloseTo(dollars, 12);
  });
});
