import { z } from "zod";
import { cannotDo, unknownProvider, unusableProvider } from "./model-providers.ts";
import { addressSchema, keySchema, providersSchema } from "./provider-schema.ts";
import { between, count, flag, seconds, upTo, wholeBetween } from "./setting-kinds.ts";

const usd = z.number().min(0);
const factor = z.number().positive();

/** The price of a model, USD per million tokens. */
const priceSchema = z.strictObject({
  input: usd.describe("USD per million input tokens"),
  output: usd.describe("USD per million output tokens"),
  cached_input: usd.optional().describe("USD per million tokens read from the provider's cache"),
  cache_write: usd.optional().describe("USD per million tokens written to the provider's cache"),
  above: z
    .strictObject({
      tokens: count.describe("Input tokens of a request, those of the cache included"),
      input_factor: factor.describe("Times as much for input and cache"),
      output_factor: factor.describe("Times as much for output"),
    })
    .optional()
    .describe("What all of a request with more input tokens costs"),
});

/** Facts about a model that replace those of the model catalogue. */
const modelFactsSchema = z.strictObject({
  context_tokens: count.optional().describe("Tokens a request may have, answer included"),
  output_tokens: count.optional().describe("Maximum tokens of an answer, thinking included"),
  images: flag.optional().describe("Whether it takes pictures"),
  cache_minutes: upTo(1440)
    .optional()
    .describe("How long the provider surely keeps a prompt in its cache, in minutes"),
  retires: z.iso
    .date({ error: "expected a date such as 2026-11-30" })
    .optional()
    .describe("Last day it answers, as 2026-11-30; `knack doctor` warns 60 days ahead"),
});

/** Levels of effort, lowest first. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** `openai/gpt-6.1-terra`. The part after the first slash is the provider's own name, which may have slashes. */
const modelName = /^[^\s/]+\/\S+$/;
const modelHint = "expected openai/MODEL, anthropic/MODEL or another PROVIDER/MODEL";

/** A model for other work than answering: a name, `off`, or `auto`. */
const otherModel = z
  .string()
  .refine((value) => value === "auto" || value === "off" || modelName.test(value), {
    error: `${modelHint}, off, or auto`,
  })
  .default("auto");

const builtInSchema = z.strictObject({
  api_key: keySchema.optional().meta({ secret: true }),
  base_url: addressSchema.optional(),
});

const openAiSchema = builtInSchema.extend({
  api: z.enum(["auto", "responses", "chat"]).default("auto"),
});

const modelShape = z.strictObject({
  choice: z
    .string()
    .refine((value) => value === "auto" || value === "offline" || modelName.test(value), {
      error: `${modelHint}, offline, or auto`,
    })
    .default("auto"),
  failover: z.array(z.string().regex(modelName, modelHint)).default([]),
  small: otherModel,
  transcription: otherModel,
  images: otherModel,
  embeddings: otherModel,
  allowed: z
    .array(z.string().regex(/^(\*|[^\s/*]+\/[^\s*]*\*?)$/, "expected PROVIDER/MODEL, PROVIDER/* or *"))
    .default(["*"]),
  openai: openAiSchema.prefault({}),
  anthropic: builtInSchema.prefault({}),
  providers: providersSchema,
  streaming: flag.default(true),
  retries: wholeBetween(0, 20).default(4),
  away_minutes: between(0, 1440).default(15),
  ask_again_hours: between(0, 168).default(24),
  timeout_seconds: seconds.default(600),
  idle_seconds: seconds.default(60),
  first_answer_seconds: seconds.optional(),
  effort: z.enum(efforts).optional(),
  max_output_tokens: count.optional(),
  models: z.record(z.string().regex(modelName, modelHint), modelFactsSchema).default({}),
  prices: z.record(z.string().regex(modelName, modelHint), priceSchema).default({}),
});

/** The models, and the limits and retries of their calls. */
export const modelSchema = modelShape.superRefine((model, context) => {
  const single = ["choice", "small", "transcription", "images", "embeddings"] as const;
  const asked = [
    ...single.map((key) => ({ name: model[key], path: [key] })),
    ...model.failover.map((name, index) => ({ name, path: ["failover", index] })),
  ].filter(({ name }) => modelName.test(name));
  const mentioned = [
    ...model.allowed.map((name, index) => ({ name, path: ["allowed", index] })),
    ...Object.keys(model.prices).map((name) => ({ name, path: ["prices", name] })),
    ...Object.keys(model.models).map((name) => ({ name, path: ["models", name] })),
  ].filter(({ name }) => /^[^\s/*]+\//.test(name));
  const problems = [
    ...(["transcription", "images", "embeddings"] as const).map((work) => ({
      name: model[work],
      path: [work],
      message: cannotDo(work, model[work], model),
    })),
    ...asked.map(({ name, path }) => ({ name, path, message: unusableProvider(name, model) })),
    ...mentioned.map(({ name, path }) => ({ name, path, message: unknownProvider(name, model) })),
  ];
  for (const { name, path, message } of problems) {
    if (message !== undefined) context.addIssue({ code: "custom", path, message, input: name });
  }
});
