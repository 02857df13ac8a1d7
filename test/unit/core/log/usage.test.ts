import { describe, expect, it } from "vitest";
import { emptyTurnView, foldTurn } from "../../../../src/core/log/turn-view.ts";
import { costText, noUsage } from "../../../../src/core/log/usage.ts";

describe("the cost in words", () => {
  it.each([
    [undefined, ""],
    [0, "$0.00"],
    [0.0000005, "$0.00000050"],
    [0.00314, "$0.0031"],
    [0.00999, "$0.0100"],
    [0.014, "$0.01"],
    [12.345, "$12.35"],
  ])("the cost %s is written as %j", (cost_usd, words) => {
    expect(costText({ ...noUsage, cost_usd })).toBe(words);
  });

  it("a cost says that it is incomplete when some models had no price", () => {
    expect(costText({ ...noUsage, cost_usd: 0.5, unpriced_tokens: 10 })).toBe("at least $0.50");
    expect(costText({ ...noUsage, unpriced_tokens: 10 })).toBe("");
  });
});

it("the view of a turn counts its model calls, with the cost where there is one", () => {
  const usage = {
    type: "usage",
    model: "m",
    turn_id: "t",
    at: 1,
    input_tokens: 10,
    output_tokens: 3,
  } as const;
  const unpriced = foldTurn(emptyTurnView("t"), { ...usage, seq: 1 });
  expect(unpriced).toMatchObject({ input_tokens: 10, output_tokens: 3, unpriced_tokens: 13 });
  expect(unpriced.cost_usd).toBeUndefined();
  const both = foldTurn(unpriced, { ...usage, cached_tokens: 8, cost_usd: 0.25, seq: 2 });
  expect(both).toMatchObject({ input_tokens: 20, cached_tokens: 8, cost_usd: 0.25, unpriced_tokens: 13 });
});
