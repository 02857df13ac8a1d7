import { z } from "zod";
import { efforts } from "../../core/values/message.ts";

export const effortSchema = z.enum(efforts);

const usd = z.number().min(0);
const tokens = z.number().int().positive();

const ratesSchema = z.strictObject({
  input: usd,
  output: usd,
  /** Absent if reading from the cache costs as much as input. */
  cached_input: usd.optional(),
  /** Absent if writing to the cache costs as much as input. */
  cache_write: usd.optional(),
});

/** US dollars per million tokens. */
const priceSchema = ratesSchema.extend({
  /** The price of a whole request with more than `above` input tokens, in ascending order. */
  tiers: z.array(z.strictObject({ above: tokens, ...ratesSchema.shape })).optional(),
});

export type ListPrice = z.output<typeof priceSchema>;

const modelSchema = z.strictObject({
  /** Maximum tokens of a request, including the answer. */
  context: tokens,
  /** Maximum tokens of an answer, including reasoning. */
  output: tokens,
  /** Whether it takes pictures. */
  images: z.boolean(),
  /**
   * Whether it reasons: never, always, as much as it decides unless reasoning is turned off (`adaptive`), or on request
   * (`switchable`).
   */
  thinking: z.enum(["none", "always", "adaptive", "switchable"]),
  /** The efforts that it takes, lowest first; absent when they are unknown. */
  efforts: z.array(effortSchema).optional(),
  /** What a system message can change during a conversation; absent when that is unknown. */
  in_place: z.array(z.enum(["tools", "effort"])).optional(),
  /** Absent when it is unknown. */
  price: priceSchema.optional(),
});

/** Servers whose models are listed. Azure has OpenAI's. */
export const listedServers = [
  "anthropic",
  "openai",
  "gemini",
  "xai",
  "deepseek",
  "mistral",
  "groq",
  "together",
  "openrouter",
] as const;

export type ListedServer = (typeof listedServers)[number];

/** The file `models.json`: its source, and each server's models by name. */
export const catalogueSchema = z.strictObject({
  source: z.string(),
  /** When it was made, `2026-11-23`. */
  date: z.iso.date(),
  notice: z.string(),
  models: z.record(z.enum(listedServers), z.record(z.string(), modelSchema)),
});

export type CatalogueModel = z.output<typeof modelSchema>;
export type CatalogueModels = Readonly<Record<string, CatalogueModel>>;
export type Catalogue = z.output<typeof catalogueSchema>;
