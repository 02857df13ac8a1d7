import type { ExchangeUsage } from "./exchange.ts";
import { inputTokens, type RecordedRequest } from "./recording.ts";

/** US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  /** For an hour with Anthropic, 12 hours with OpenAI; twice the input unless given. */
  cache_write_long?: number;
  /** The whole request costs this many times as much when its prompt has more tokens. */
  above?: { tokens: number; input: number; output: number };
}

const longContext = { tokens: 272_000, input: 2, output: 1.5 };

/** Prices of the vendors' pages, November 2026. */
export const modelPrices: Readonly<Record<string, ModelPrice>> = {
  "claude-fable-5-2": { input: 8, output: 40, cache_read: 0.2, cache_write: 10 },
  "claude-opus-5-5": { input: 4, output: 20, cache_read: 0.2, cache_write: 5 },
  "claude-sonnet-5-5": { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 },
  "claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cache_read: 0.01,
    cache_write: 0.125,
    above: { tokens: 100_000, input: 5, output: 5 },
  },
  "claude-sonnet-4-5": { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  "gpt-6-astra": { input: 10, output: 50, cache_read: 1, cache_write: 12.5, above: longContext },
  "gpt-6.1-sol": { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5, above: longContext },
  "gpt-6.1-terra": { input: 1, output: 5, cache_read: 0.05, cache_write: 1.25, above: longContext },
  "gpt-6-luna": { input: 0.1, output: 0.5, cache_read: 0.01, cache_write: 0.125, above: longContext },
  "gpt-5.4-mini": { input: 0.75, output: 4.5, cache_read: 0.075, cache_write: 0.75 },
  "gpt-5-mini": { input: 0.25, output: 2, cache_read: 0.025, cache_write: 0.25 },
};

/** The cost of these requests, US dollars. A request without an answer and a model without a price cost nothing. */
export function price(
  requests: readonly RecordedRequest[],
  table: Readonly<Record<string, ModelPrice>> = modelPrices,
): number {
  return requests.reduce((sum, { usage, model }) => {
    const prices = table[model];
    return usage === undefined || prices === undefined ? sum : sum + cost(usage, prices);
  }, 0);
}

function cost(usage: ExchangeUsage, prices: ModelPrice): number {
  const { above } = prices;
  const factor = above !== undefined && inputTokens(usage) > above.tokens ? above : { input: 1, output: 1 };
  const input =
    usage.fresh * prices.input +
    usage.cache_read * prices.cache_read +
    usage.cache_write * prices.cache_write +
    usage.cache_write_long * (prices.cache_write_long ?? prices.input * 2);
  return (input * factor.input + usage.output * prices.output * factor.output) / 1e6;
}
