import { describe, expect, it } from "vitest";
import { modelFacts } from "../../../../src/models/catalogue/model-facts.ts";
import { costOf, type MeteredUsage, pricedUsage } from "../../../../src/models/prices.ts";
import type { ServerKind } from "../../../../src/models/server-kind.ts";

describe("the cost of a model call", () => {
  const usage = { input_tokens: 1000, output_tokens: 500 };

  it("the cost of a model call is counted per million tokens", () => {
    expect(costOf(usage, { input: 2, output: 8 })).toBeCloseTo(0.006, 12);
  });

  it("the cost of a model call has cached tokens at their own price, or else at the input price", () => {
    const cached = { ...usage, cached_tokens: 400 };
    expect(costOf(cached, { input: 2, output: 8, cached_input: 0.5 })).toBeCloseTo(0.0054, 12);
    expect(costOf(cached, { input: 2, output: 8 })).toBeCloseTo(0.006, 12);
  });

  it("the cost of a model call has cache writes at their own price, and those kept for an hour at twice the input price", () => {
    const written = { ...usage, cached_tokens: 100, cache_write_tokens: 600, cache_write_1h_tokens: 200 };
    const price = { input: 2, output: 8, cached_input: 0.2, cache_write: 2.5 };
    const perMillion = 300 * 2 + 100 * 0.2 + 400 * 2.5 + 200 * 4 + 500 * 8;
    expect(costOf(written, price)).toBeCloseTo(perMillion / 1e6, 12);
    expect(costOf({ ...usage, cache_write_tokens: 600 }, { input: 2, output: 8 })).toBe(0.006);
  });

  it("the cost of a model call is higher for all of a request above the price's input limit, cached tokens included", () => {
    const above = { tokens: 272_000, input_factor: 2, output_factor: 1.5 };
    const price = { input: 2, output: 10, cached_input: 0.1, cache_write: 2.5, above };
    const upTo = { input_tokens: 272_000, cached_tokens: 200_000, cache_write_tokens: 0, output_tokens: 100 };
    expect(costOf(upTo, price)).toBeCloseTo((72_000 * 2 + 200_000 * 0.1 + 100 * 10) / 1e6, 12);
    const over = { ...upTo, input_tokens: 272_001, cache_write_tokens: 1 };
    const perMillion = 72_000 * 4 + 200_000 * 0.2 + 5 + 100 * 15;
    expect(costOf(over, price)).toBeCloseTo(perMillion / 1e6, 12);
  });

  it.each([
    [100, 1],
    [101, 3],
    [200, 3],
    [201, 7],
  ])("the cost of %d tokens is that of the highest tier they exceed", (input_tokens, rate) => {
    const tiers = [
      { above: 100, input: 3, output: 0 },
      { above: 200, input: 7, output: 0 },
    ];
    const cost = costOf({ input_tokens, output_tokens: 0 }, { input: 1, output: 0, tiers });
    expect(cost).toBeCloseTo((input_tokens * rate) / 1e6, 12);
  });

  it("the cost of a model call is never negative, whatever a server counts", () => {
    expect(costOf({ ...usage, cached_tokens: 5_000 }, { input: 2, output: 0, cached_input: 0 })).toBe(0);
  });
});

it("the usage of a model call has its cost where there is a price, and cache counts where there are any", () => {
  const call = { input_tokens: 10, output_tokens: 3 };
  const counted = { ...call, cached_tokens: 4, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
  expect(pricedUsage(counted, undefined)).toStrictEqual({ ...call, cached_tokens: 4 });
  expect(pricedUsage(call, { input: 1e6, output: 0 })).toStrictEqual({ ...call, cost_usd: 10 });
});

/** Counted by hand with the vendors' pages of November 2026, US dollars. */
describe("list prices", () => {
  const long = { cached_tokens: 200_000, cache_write_tokens: 50_000, output_tokens: 1_000 };
  const cases: [ServerKind, string, Partial<MeteredUsage>, number][] = [
    ["openai", "gpt-6.1-terra", { input_tokens: 272_000 }, 0.272 + 0.005],
    ["openai", "gpt-6.1-terra", { input_tokens: 300_000 }, 0.6 + 0.0075],
    // 22,000 fresh at $1, 200,000 read at $0.05, 50,000 written at $1.25, 1,000 out at $5.
    ["openai", "gpt-6.1-terra", { input_tokens: 272_000, ...long }, 0.022 + 0.01 + 0.0625 + 0.005],
    // Above 272,000: 50,000 fresh at $2, 200,000 read at $0.1, 50,000 written at $2.5, 1,000 out at $7.5.
    ["openai", "gpt-6.1-terra", { input_tokens: 300_000, ...long }, 0.1 + 0.02 + 0.125 + 0.0075],
    ["azure", "gpt-6-astra", { input_tokens: 1_000_000 }, 20 + 0.075],
    ["openai", "gpt-6-luna", { input_tokens: 100_000 }, 0.01 + 0.0005],
    ["openai", "gpt-5.4-mini", { input_tokens: 100_000, cached_tokens: 100_000 }, 0.0075 + 0.0045],
    ["openai", "gpt-5-mini", { input_tokens: 100_000 }, 0.025 + 0.002],
    ["anthropic", "claude-haiku-5-5", { input_tokens: 100_000 }, 0.01 + 0.0005],
    ["anthropic", "claude-haiku-5-5", { input_tokens: 200_000 }, 0.1 + 0.0025],
    ["anthropic", "claude-sonnet-5-5", { input_tokens: 300_000 }, 0.6 + 0.01],
    ["anthropic", "claude-opus-5-5", { input_tokens: 100_000, cached_tokens: 100_000 }, 0.02 + 0.02],
    ["anthropic", "claude-fable-5-2", { input_tokens: 100_000, cache_write_tokens: 100_000 }, 1 + 0.04],
    // Written for an hour: twice the input.
    [
      "anthropic",
      "claude-sonnet-4-5",
      { input_tokens: 100_000, cache_write_tokens: 100_000, cache_write_1h_tokens: 100_000 },
      0.6 + 0.015,
    ],
  ];
  it.each(cases)("the list price at %s of %s for %o is $%d", (server, model, usage, dollars) => {
    const { price } = modelFacts(server, model);
    const { cost_usd } = pricedUsage({ input_tokens: 0, output_tokens: 1_000, ...usage }, price);
    expect(cost_usd).toBeCloseTo(dollars, 9);
  });
});
