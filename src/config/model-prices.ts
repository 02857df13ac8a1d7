import { z } from "zod";

const usd = z.number().min(0);
const factor = z.number().positive();

/** What a model costs, USD per million tokens. */
export const priceSchema = z.strictObject({
  input: usd.describe("USD per million input tokens"),
  output: usd.describe("USD per million output tokens"),
  cached_input: usd.optional().describe("USD per million tokens read from the provider's cache"),
  cache_write: usd.optional().describe("USD per million tokens written to the provider's cache"),
  above: z
    .strictObject({
      tokens: z.number().int().positive().describe("Input tokens of a request, those of the cache included"),
      input_factor: factor.describe("Times as much for input and cache"),
      output_factor: factor.describe("Times as much for output"),
    })
    .optional()
    .describe("What all of a request with more input tokens costs"),
});

const above100k = { tokens: 100_000, input_factor: 5, output_factor: 5 };
const above272k = { tokens: 272_000, input_factor: 2, output_factor: 1.5 };

/**
 * List prices, USD per million tokens, of November 2026: https://platform.claude.com/docs/en/about-claude/pricing and
 * https://developers.openai.com/api/docs/pricing.
 */
export const listPrices: Record<string, z.output<typeof priceSchema>> = {
  "anthropic/claude-fable-5-2": { input: 8, output: 40, cached_input: 0.2, cache_write: 10 },
  "anthropic/claude-opus-5-5": { input: 4, output: 20, cached_input: 0.2, cache_write: 5 },
  "anthropic/claude-sonnet-5-5": { input: 2, output: 10, cached_input: 0.1, cache_write: 2.5 },
  "anthropic/claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cached_input: 0.01,
    cache_write: 0.125,
    above: above100k,
  },
  "anthropic/claude-opus-4-5": { input: 5, output: 25, cached_input: 0.5, cache_write: 6.25 },
  "anthropic/claude-sonnet-4-5": { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 },
  "anthropic/claude-haiku-4-5": { input: 1, output: 5, cached_input: 0.1, cache_write: 1.25 },
  "openai/gpt-6-astra": { input: 10, output: 50, cached_input: 1, cache_write: 12.5, above: above272k },
  "openai/gpt-6.1-sol": { input: 2, output: 10, cached_input: 0.1, cache_write: 2.5, above: above272k },
  "openai/gpt-6.1-terra": { input: 1, output: 5, cached_input: 0.05, cache_write: 1.25, above: above272k },
  "openai/gpt-6-luna": { input: 0.1, output: 0.5, cached_input: 0.01, cache_write: 0.125, above: above272k },
  "openai/gpt-5.4-mini": { input: 0.75, output: 4.5, cached_input: 0.075 },
  "openai/gpt-5": { input: 1.25, output: 10, cached_input: 0.125 },
  "openai/gpt-5-mini": { input: 0.25, output: 2, cached_input: 0.025 },
  "openai/gpt-5-nano": { input: 0.05, output: 0.4, cached_input: 0.005 },
  "openai/gpt-4.1": { input: 2, output: 8, cached_input: 0.5 },
  "openai/gpt-4o": { input: 2.5, output: 10, cached_input: 1.25 },
  "openai/gpt-4o-mini": { input: 0.15, output: 0.6, cached_input: 0.075 },
};
