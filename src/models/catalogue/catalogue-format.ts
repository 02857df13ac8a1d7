import { z } from "zod";
import { efforts } from "../../core/values/message.ts";

export const effortSchema = z.enum(efforts);

const usd = z.number().min(0);
const tokens = z.number().int().positive();

const ratesSchema = z.strictObject({
  input: usd,
  output: usd,
  /** Absent where reading from the cache costs as much as input. */
  cached_input: usd.optional(),
  /** Absent where writing to the cache costs as much as input. */
  cache_write: usd.optional(),
});

/** US dollars per million tokens. */
const priceSchema = ratesSchema.extend({
  /** What all of a request costs that has more than `above` tokens of input; rising. */
  tiers: z.array(z.strictObject({ above: tokens, ...ratesSchema.shape })).optional(),
});

const modelSchema = z.strictObject({
  /** Tokens a request may have, answer included. */
  context: tokens,
  /** Most tokens of an answer, reasoning included. */
  output: tokens,
  /** Whether it takes pictures. */
  images: z.boolean(),
  /**
   * Whether it reasons: never, always, as much as it finds right unless told not to (`adaptive`), or when it is asked to
   * (`switchable`).
   */
  thinking: z.enum(["none", "always", "adaptive", "switchable"]),
  /** The words for effort it takes, least first; absent when they are not known. */
  efforts: z.array(effortSchema).optional(),
  /** What a system message in the middle of a conversation can change; absent when that is not known. */
  in_place: z.array(z.enum(["tools", "effort"])).optional(),
  /** Absent when it is not known. */
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

/** The file `models.json`: where it is from, and each server's models by name. */
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
