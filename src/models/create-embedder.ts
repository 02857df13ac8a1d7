import { type Embedder, noEmbedder } from "../core/ports/services.ts";
import type { Clock } from "../core/ports/storage.ts";
import { kindOf, type ModelSettings, namedModel } from "./create-model.ts";
import { createOpenAiEmbedder } from "./openai/embedder.ts";
import type { Price } from "./prices.ts";

export interface EmbeddingSettings extends Pick<ModelSettings, "providers" | "prices"> {
  /** `provider/model`, or `off`. */
  embeddings: string;
}

/** US dollars per million tokens. Sources: developers.openai.com/api/docs/models, ai.google.dev/gemini-api/docs/pricing, mistral.ai/pricing. */
const prices: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  openai: { "text-embedding-3-small": 0.02, "text-embedding-3-large": 0.13 },
  openrouter: { "openai/text-embedding-3-small": 0.02 },
  gemini: { "gemini-embedding-001": 0.15 },
  mistral: { "mistral-embed": 0.1 },
};

/**
 * Creates the service that makes vectors of texts. `report` gets the first failure, and further ones only after a success.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createEmbedder(
  settings: EmbeddingSettings,
  clock: Pick<Clock, "after" | "sleep">,
  report: (error: unknown) => void,
): Embedder {
  if (settings.embeddings === "off") return noEmbedder;
  const { provider, model, server } = namedModel(settings.embeddings, settings);
  const price = embeddingPrice(settings);
  return createOpenAiEmbedder({ ...server, provider, model, price, report }, clock);
}

/** The price of a million tokens, if known. Settings take precedence over the prices above. */
export function embeddingPrice(settings: EmbeddingSettings): Price | undefined {
  const { embeddings } = settings;
  if (embeddings === "off") return undefined;
  const own = settings.prices?.[embeddings];
  if (own !== undefined) return own;
  const { model, server } = namedModel(embeddings, settings);
  const kind = kindOf(server);
  const input = kind === undefined ? undefined : prices[kind]?.[model];
  return input === undefined ? undefined : { input, output: 0 };
}
