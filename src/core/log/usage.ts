/** Token counts of one model call; `cost_usd` only for models in the price table. */
export interface Usage {
  /** Tokens of the whole request, including those read from or written to the provider's cache. */
  input_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  cached_tokens?: number | undefined;
  /** The part of the input that was written to the provider's cache. */
  cache_write_tokens?: number | undefined;
  output_tokens: number;
  cost_usd?: number | undefined;
}

/** Total usage of several model calls. */
export interface UsageTotal {
  /** Tokens of the whole requests, including those read from or written to a provider's cache. */
  input_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  cached_tokens: number;
  /** The part of the input that was written to the provider's cache. */
  cache_write_tokens: number;
  output_tokens: number;
  /** US dollars for the calls of models with a price; absent when there were none. */
  cost_usd?: number | undefined;
  /** Input and output tokens of models without a price, which `cost_usd` does not include. */
  unpriced_tokens: number;
}

/** Usage before the first model call. */
export const noUsage: Readonly<UsageTotal> = {
  input_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  unpriced_tokens: 0,
};

/** The total plus one more model call, or plus another total. */
export function plusUsage(total: UsageTotal, more: Usage | UsageTotal): UsageTotal {
  const costs = [total.cost_usd, more.cost_usd].filter((cost) => cost !== undefined);
  return {
    input_tokens: total.input_tokens + more.input_tokens,
    cached_tokens: total.cached_tokens + (more.cached_tokens ?? 0),
    cache_write_tokens: total.cache_write_tokens + (more.cache_write_tokens ?? 0),
    output_tokens: total.output_tokens + more.output_tokens,
    cost_usd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost),
    unpriced_tokens: total.unpriced_tokens + unpricedTokens(more),
  };
}

function unpricedTokens(usage: Usage | UsageTotal): number {
  if ("unpriced_tokens" in usage) return usage.unpriced_tokens;
  return usage.cost_usd === undefined ? usage.input_tokens + usage.output_tokens : 0;
}

/** `$0.0031`, or `at least $0.0031` when some of the models have no price; empty when none has one. */
export function costText({ cost_usd, unpriced_tokens }: UsageTotal): string {
  if (cost_usd === undefined) return "";
  return unpriced_tokens > 0 ? `at least ${dollars(cost_usd)}` : dollars(cost_usd);
}

/** Whole cents; below one cent, two significant digits. */
function dollars(amount: number): string {
  const decimals = amount > 0 && amount < 0.01 ? 1 - Math.floor(Math.log10(amount)) : 2;
  return `$${amount.toFixed(Math.min(decimals, 12))}`;
}
