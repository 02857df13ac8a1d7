import { z } from "zod";

const usd = z.number().min(0);
const factor = z.number().positive();
const tokens = z.number().int().positive();

/** What a model costs, USD per million tokens. */
export const priceSchema = z.strictObject({
  input: usd.describe("USD per million input tokens"),
  output: usd.describe("USD per million output tokens"),
  cached_input: usd.optional().describe("USD per million tokens read from the provider's cache"),
  cache_write: usd.optional().describe("USD per million tokens written to the provider's cache"),
  above: z
    .strictObject({
      tokens: tokens.describe("Input tokens of a request, those of the cache included"),
      input_factor: factor.describe("Times as much for input and cache"),
      output_factor: factor.describe("Times as much for output"),
    })
    .optional()
    .describe("What all of a request with more input tokens costs"),
});

/** Facts about a model that replace those of the model catalogue. */
export const modelFactsSchema = z.strictObject({
  context_tokens: tokens.optional().describe("Tokens a request may have, answer included"),
  output_tokens: tokens.optional().describe("Most tokens of an answer, thinking included"),
  images: z.boolean().optional().describe("Whether it takes pictures"),
  cache_minutes: z
    .number()
    .positive()
    .max(1440)
    .optional()
    .describe("How long the provider surely keeps a prompt in its cache, in minutes"),
  retires: z.iso
    .date({ error: "expected a date such as 2026-11-30" })
    .optional()
    .describe("Last day it answers, as 2026-11-30; `knack doctor` warns 60 days ahead"),
});
