import type { Usage } from "../core/turn-event.ts";

/** Price of a model, US dollars per million tokens. */
interface Price {
  input: number;
  output: number;
  /** Tokens read from the provider's prompt cache; `input` unless told. */
  cached_input?: number | undefined;
  /** Tokens written to the prompt cache; `input` unless told. */
  cache_write?: number | undefined;
  /**
   * A request with more than `tokens` of input costs more, all of it: `input_factor` times as much for input and cache,
   * `output_factor` times as much for output.
   */
  above?: { tokens: number; input_factor: number; output_factor: number } | undefined;
}

/** Prices by `provider/model`. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Token counts as a provider reports them. */
export interface MeteredUsage extends Usage {
  /** Of `cache_write_tokens`, written to be kept for an hour. */
  cache_write_1h_tokens?: number | undefined;
}

/**
 * Writing to Anthropic's cache for an hour costs twice the price of input:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
 */
const hourFactor = 2;

/** US dollars for one model call; undefined for a model without a price. */
export function costOf(model: string, usage: MeteredUsage, table: PriceTable): number | undefined {
  const price = Object.hasOwn(table, model) ? table[model] : undefined;
  if (price === undefined) return undefined;
  const { input_tokens, cached_tokens = 0, cache_write_tokens = 0, cache_write_1h_tokens = 0 } = usage;
  const { input_factor, output_factor } =
    price.above !== undefined && input_tokens > price.above.tokens
      ? price.above
      : { input_factor: 1, output_factor: 1 };
  const input =
    Math.max(0, input_tokens - cached_tokens - cache_write_tokens) * price.input +
    cached_tokens * (price.cached_input ?? price.input) +
    (cache_write_tokens - cache_write_1h_tokens) * (price.cache_write ?? price.input) +
    cache_write_1h_tokens * hourFactor * price.input;
  return (input * input_factor + usage.output_tokens * price.output * output_factor) / 1_000_000;
}

/**
 * The usage of one model call with its cost: by the price of the model, else what the server says it charged. Without either,
 * or where the server did not count, there is no cost. Counts of the cache that are zero are left out.
 */
export function pricedUsage(model: string, usage: MeteredUsage | undefined, table: PriceTable): Usage {
  const { input_tokens, cached_tokens = 0, cache_write_tokens = 0, output_tokens } = usage ?? uncounted;
  const isCounted = usage !== undefined && input_tokens + output_tokens > 0;
  const cost_usd = isCounted ? (costOf(model, usage, table) ?? usage.cost_usd) : undefined;
  return {
    input_tokens,
    ...(cached_tokens > 0 ? { cached_tokens } : {}),
    ...(cache_write_tokens > 0 ? { cache_write_tokens } : {}),
    output_tokens,
    ...(cost_usd === undefined ? {} : { cost_usd }),
  };
}

const uncounted: MeteredUsage = { input_tokens: 0, output_tokens: 0 };
