import type { Usage } from "../core/turn-event.ts";

/** Price of a model, US dollars per million tokens. */
interface Price {
  input: number;
  output: number;
  /** Tokens read from the provider's prompt cache; `input` unless told. */
  cached_input?: number | undefined;
  /** Tokens written to the prompt cache (Anthropic charges more for them); `input` unless told. */
  cache_write?: number | undefined;
}

/** Prices by `provider/model`. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Token counts as a provider reports them. `input_tokens` includes the cached and the cache-written ones. */
export interface MeteredUsage extends Usage {
  cached_tokens?: number;
  cache_write_tokens?: number;
  /** Of the cache-written tokens, those kept for an hour: Anthropic charges twice the input price for them. */
  cache_write_1h_tokens?: number;
}

/** US dollars for one model call; undefined for a model without a price. */
export function costOf(model: string, usage: MeteredUsage, table: PriceTable): number | undefined {
  const price = Object.hasOwn(table, model) ? table[model] : undefined;
  if (price === undefined) return undefined;
  const {
    cached_tokens: cached = 0,
    cache_write_tokens: written = 0,
    cache_write_1h_tokens: hour = 0,
  } = usage;
  const dollarsPerMillion =
    (usage.input_tokens - cached - written) * price.input +
    cached * (price.cached_input ?? price.input) +
    (written - hour) * (price.cache_write ?? price.input) +
    hour * 2 * price.input +
    usage.output_tokens * price.output;
  return dollarsPerMillion / 1_000_000;
}
