import { z } from "zod";

const seconds = z.number().positive().max(86_400);

/** `openai/gpt-6.1-terra`; what comes after the first slash is the provider's own name, slashes included. */
const modelName = /^(openai|anthropic)\/\S+$/;
const modelHint = "expected openai/MODEL or anthropic/MODEL";

const priceSchema = z.strictObject({
  input: z.number().min(0).describe("USD per million input tokens"),
  output: z.number().min(0).describe("USD per million output tokens"),
});

/** List prices of the providers' price pages, USD per million tokens. */
const listPrices = {
  "anthropic/claude-haiku-4-5": { input: 1, output: 5 },
  "anthropic/claude-sonnet-4-5": { input: 3, output: 15 },
  "anthropic/claude-opus-4-5": { input: 5, output: 25 },
  "openai/gpt-5": { input: 1.25, output: 10 },
  "openai/gpt-5-mini": { input: 0.25, output: 2 },
  "openai/gpt-5-nano": { input: 0.05, output: 0.4 },
  "openai/gpt-4.1": { input: 2, output: 8 },
  "openai/gpt-4o": { input: 2.5, output: 10 },
  "openai/gpt-4o-mini": { input: 0.15, output: 0.6 },
};

const providerSchema = (vendor: string) =>
  z.strictObject({
    api_key: z
      .string()
      .min(1)
      .optional()
      .meta({ description: `Key for ${vendor}`, secret: true }),
    base_url: z
      .url({ protocol: /^https?$/, error: "expected an http or https URL" })
      .optional()
      .describe(`Address of a server that speaks ${vendor}'s protocol; ${vendor}'s own unless set`),
  });

/** Which models answer, and how patiently they are called. */
export const modelSchema = z.strictObject({
  choice: z
    .string()
    .refine((value) => value === "auto" || value === "offline" || modelName.test(value), {
      error: `${modelHint}, offline, or auto`,
    })
    .default("auto")
    .describe(
      "The model: provider/model, offline, or auto (anthropic/claude-sonnet-5-5 with an Anthropic key, else openai/gpt-6.1-terra with an OpenAI key, else offline)",
    ),
  failover: z
    .array(z.string().regex(modelName, modelHint))
    .default([])
    .describe("Models that take over, in this order, when the chosen one does not answer"),
  openai: providerSchema("OpenAI")
    .extend({
      api: z
        .enum(["auto", "responses", "chat"])
        .default("auto")
        .describe(
          "API of OpenAI that is asked: responses, chat (chat completions), or auto (responses for OpenAI's models from gpt-5 on where the server has it, else chat)",
        ),
    })
    .prefault({}),
  anthropic: providerSchema("Anthropic").prefault({}),
  streaming: z
    .boolean()
    .default(true)
    .describe("Whether answers are streamed; false for servers that cannot"),
  retries: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(4)
    .describe("Further attempts of a failed model call before failover"),
  timeout_seconds: seconds
    .default(600)
    .describe("Longest wait for an answer that is not streamed, in seconds"),
  idle_seconds: seconds
    .default(60)
    .describe("Longest silence of a streamed answer, in seconds; then it is cut and tried again"),
  effort: z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])
    .optional()
    .describe(
      "How hard models think: none, minimal, low, medium, high, xhigh or max, or what they know nearest to it; the provider's default unless set",
    ),
  max_output_tokens: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      "Most tokens of one model answer, thinking included; 32000, or the model's own limit, unless set",
    ),
  prices: z
    .record(z.string().regex(modelName, modelHint), priceSchema)
    .default(listPrices)
    .describe(
      "Prices in USD per million tokens, {input, output}; models not listed are counted in tokens only",
    ),
});
