import type { Usage } from "../core/log/usage.ts";
import type { ListPrice } from "./catalogue/catalogue-format.ts";

/** US dollars per million tokens. */
type Rates = Pick<ListPrice, "input" | "output" | "cached_input" | "cache_write">;

/** Price of a model. */
export interface Price extends ListPrice {
  /**
   * A request with more than `tokens` input tokens costs `input_factor` times as much for all its input and cache, and
   * `output_factor` times as much for its output. Excludes `tiers`.
   */
  above?: { tokens: number; input_factor: number; output_factor: number } | undefined;
}

/** Prices by `provider/model`. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Token counts as a provider reports them. */
export interface MeteredUsage extends Usage {
  /** The part of `cache_write_tokens` that is kept for an hour. */
  cache_write_1h_tokens?: number | undefined;
}

/**
 * Writing to Anthropic's cache for an hour costs twice the price of input:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
 */
const hourFactor = 2;

/** US dollars for one model call. */
export function costOf(usage: MeteredUsage, price: Price): number {
  const { input_tokens, cached_tokens = 0, cache_write_tokens = 0, cache_write_1h_tokens = 0 } = usage;
  const rates = ratesFor(input_tokens, price);
  const input =
    Math.max(0, input_tokens - cached_tokens - cache_write_tokens) * rates.input +
    cached_tokens * (rates.cached_input ?? rates.input) +
    (cache_write_tokens - cache_write_1h_tokens) * (rates.cache_write ?? rates.input) +
    cache_write_1h_tokens * hourFactor * rates.input;
  return (input + usage.output_tokens * rates.output) / 1_000_000;
}

/** The rates of a request of this size. */
function ratesFor(inputTokens: number, price: Price): Rates {
  const { above, tiers = [], input, output, cached_input, cache_write } = price;
  const tier = tiers.findLast((each) => inputTokens > each.above);
  if (tier !== undefined) return tier;
  if (above === undefined || inputTokens <= above.tokens) return price;
  const { input_factor, output_factor } = above;
  return {
    input: input * input_factor,
    output: output * output_factor,
    cached_input: (cached_input ?? input) * input_factor,
    cache_write: (cache_write ?? input) * input_factor,
  };
}

/**
 * The usage of one model call with its cost: by the price of the model, else the charge that the server reports. Without either, or
 * without a count, there is no cost. Cache counts of zero are left out.
 */
export function pricedUsage(usage: MeteredUsage | undefined, price: Price | undefined): Usage {
  const { input_tokens, cached_tokens = 0, cache_write_tokens = 0, output_tokens } = usage ?? uncounted;
  const isCounted = usage !== undefined && input_tokens + output_tokens > 0;
  const charged = price === undefined ? usage?.cost_usd : costOf(usage ?? uncounted, price);
  const cost_usd = isCounted ? charged : undefined;
  return {
    input_tokens,
    ...(cached_tokens > 0 ? { cached_tokens } : {}),
    ...(cache_write_tokens > 0 ? { cache_write_tokens } : {}),
    output_tokens,
    ...(cost_usd === undefined ? {} : { cost_usd }),
  };
}

const uncounted: MeteredUsage = { input_tokens: 0, output_tokens: 0 };

/** Adds a fee to the cost of the tokens, US dollars. An unknown cost stays unknown. */
export function withFee(usage: Usage, fee: number): Usage {
  return usage.cost_usd === undefined ? usage : { ...usage, cost_usd: usage.cost_usd + fee };
}
