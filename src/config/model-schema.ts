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
const otherModel = (meaning: string) =>
  z
    .string()
    .refine((value) => value === "auto" || value === "off" || modelName.test(value), {
      error: `${modelHint}, off, or auto`,
    })
    .default("auto")
    .describe(meaning);

const builtInSchema = (vendor: string) =>
  z.strictObject({
    api_key: keySchema.optional().meta({ description: `Key for ${vendor}`, secret: true }),
    base_url: addressSchema
      .optional()
      .describe(`Address of a server that speaks ${vendor}'s protocol; ${vendor}'s own unless set`),
  });

const openAiSchema = builtInSchema("OpenAI").extend({
  api: z
    .enum(["auto", "responses", "chat"])
    .default("auto")
    .describe(
      "OpenAI API to use: responses, chat (chat completions), or auto (responses for OpenAI's models from gpt-5 on if the server supports it, else chat)",
    ),
});

const modelShape = z.strictObject({
  choice: z
    .string()
    .refine((value) => value === "auto" || value === "offline" || modelName.test(value), {
      error: `${modelHint}, offline, or auto`,
    })
    .default("auto")
    .describe(
      "The model: provider/model, offline, or auto (anthropic/claude-sonnet-5-5 with an Anthropic key, else openai/gpt-6.1-terra with an OpenAI key, else the usual model of another provider whose key is set, else offline)",
    ),
  failover: z
    .array(z.string().regex(modelName, modelHint))
    .default([])
    .describe("Models that take over, in this order, when the chosen one does not answer"),
  small: otherModel(
    "The model for internal work: summaries, extraction, compaction; auto: the small model of the same provider if it has one; off: the chosen model does this work",
  ),
  transcription: otherModel(
    "The model that transcribes voice messages: provider/model of a server with OpenAI's /audio/transcriptions; auto: the default one of the model's provider, of a failover provider, or of another provider whose key is set (openai, mistral, groq or together), else off; off: no voice message is sent to any service",
  ),
  images: otherModel(
    "The model that generates images: provider/model of a server with OpenAI's /images/generations; auto: the default one of the model's provider, of a failover provider, or of another provider whose key is set (openai or xai), else off",
  ),
  embeddings: otherModel(
    "The model for semantic search: provider/model of a server with OpenAI's /embeddings; auto: the default one of the model's provider, of a failover provider, or of another provider whose key is set (openai, openrouter, gemini or mistral), else off; off: documents are found only by their words",
  ),
  allowed: z
    .array(z.string().regex(/^(\*|[^\s/*]+\/[^\s*]*\*?)$/, "expected PROVIDER/MODEL, PROVIDER/* or *"))
    .default(["*"])
    .describe("Models that people may choose with /agent model; a trailing * matches any, e.g. anthropic/*"),
  openai: openAiSchema.prefault({}),
  anthropic: builtInSchema("Anthropic").prefault({}),
  providers: providersSchema,
  streaming: flag
    .default(true)
    .describe("Whether answers are streamed; false for servers that do not support streaming"),
  retries: wholeBetween(0, 20)
    .default(4)
    .describe(
      "Retries of a failed model call before failover; a turn that can wait for its model makes one retry, then waits without a worker",
    ),
  away_minutes: between(0, 1440)
    .default(15)
    .describe(
      "How long a turn waits and retries when no model answers, in minutes; 0 fails at once. A wrong key or request is never retried",
    ),
  ask_again_hours: between(0, 168)
    .default(24)
    .describe(
      "On Slack and Discord: for this many further hours, the bot asks whether an answer is still wanted once a model is back; 0 turns this off",
    ),
  timeout_seconds: seconds
    .default(600)
    .describe("Maximum wait for an answer that is not streamed, in seconds"),
  idle_seconds: seconds
    .default(60)
    .describe("Maximum silence of a streamed answer, in seconds; then it is cut off and retried"),
  first_answer_seconds: seconds
    .optional()
    .describe(
      "Maximum wait for the first sign of a streamed answer, in seconds; default: 180, or 600 for local servers, which load models first",
    ),
  effort: z
    .enum(efforts)
    .optional()
    .describe(
      "Reasoning effort: none, minimal, low, medium, high, xhigh or max, mapped to the nearest level a model supports; default: the provider's",
    ),
  max_output_tokens: count
    .optional()
    .describe(
      "Maximum tokens of one model answer, including reasoning; default: 32000, or the model's own limit",
    ),
  models: z
    .record(z.string().regex(modelName, modelHint), modelFactsSchema)
    .default({})
    .describe(
      "Facts that replace those of the shipped model catalogue, by PROVIDER/MODEL: {context_tokens, output_tokens, images, cache_minutes, retires}",
    ),
  prices: z
    .record(z.string().regex(modelName, modelHint), priceSchema)
    .default({})
    .describe(
      "Prices that replace those of the shipped model catalogue, by PROVIDER/MODEL, in USD per million tokens: {input, output, cached_input, cache_write}; reading from the provider's cache and writing to it cost as much as input unless set. With above {tokens, input_factor, output_factor}, a request with more input tokens costs that many times as much, the cache like input. Models without any price are counted in tokens only",
    ),
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
