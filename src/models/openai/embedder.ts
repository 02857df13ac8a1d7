import type { OpenAI } from "openai";
import { z } from "zod";
import { beginningOf } from "../../base/markdown-text.ts";
import { withTimeLimit } from "../../base/time-limit.ts";
import { type Embedder, type Embeddings, noEmbedder } from "../../core/ports/services.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { type ModelSettings, NamedModel } from "../named-model.ts";
import { type Price, pricedUsage } from "../prices.ts";
import { delayUpTo, type Endpoint, modelError, notAnAnswer, toModelError } from "../provider-error.ts";
import { OpenAiService } from "./service.ts";

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

/** Maximum time of one request, ms: a server of one's own may have to load the model first. */
const maxMs = 60_000;
/** Attempts of a request whose failure passes. */
const attempts = 3;
/** Delay between them where the server does not name one, and the maximum that it may name, ms. */
const delayAfter = delayUpTo({ usual: 1_000, max: 20_000 });

/** Maximum texts and characters of one request. Mistral takes 16,384 tokens, and a Chinese or Japanese character is about one token. */
const maxTexts = 64;
const maxCharacters = 16_000;
/** Maximum characters of a text; the rest is ignored. Models take 2,048 to 8,192 tokens, and refuse or cut longer texts. */
const maxText = 6_000;

/**
 * Numbers to keep of a vector whose first numbers matter most (Matryoshka representations). This takes a quarter to a half of the
 * space and loses about one percent of the results. https://openai.com/index/new-embedding-models-and-api-updates
 */
const kept = 768;
const mayBeCut = /text-embedding-3|gemini-embedding/;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.number(), cost: z.number().optional() }).optional().catch(undefined),
});

/**
 * Creates the service that makes vectors of texts, in batches with `/embeddings` of OpenAI, Gemini, Mistral, OpenRouter, Azure and
 * self-hosted servers. `report` gets the first failure, and further ones only after a success.
 * https://developers.openai.com/api/docs/guides/embeddings
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createEmbedder(
  settings: EmbeddingSettings,
  clock: Pick<Clock, "after" | "sleep">,
  report: (error: unknown) => void,
): Embedder {
  if (settings.embeddings === "off") return noEmbedder;
  const service = new OpenAiService(settings.embeddings, settings, { clock, maxMs, attempts, delayAfter });
  const { endpoint } = service;
  const price = embeddingPrice(settings);
  const late = () => modelError("unavailable", endpoint, `took longer than ${maxMs / 1_000} s`, undefined);
  const batch = (texts: readonly string[], signal: AbortSignal) =>
    service.ask(signal, (api) =>
      withTimeLimit({ ms: maxMs, timer: clock, signal, late }, (limit) => ask(api, service, texts, limit)),
    );
  let isReported = false;
  return {
    model: endpoint.id,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      let [input_tokens, cost_usd] = [0, 0];
      try {
        for (const part of batchesOf(texts)) {
          const { vectors: some, usage } = await batch(part, signal);
          vectors.push(...some);
          input_tokens += usage?.prompt_tokens ?? 0;
          cost_usd += usage?.cost ?? 0;
        }
        sameLength(vectors, endpoint);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!isReported) report(toModelError(error, endpoint) ?? error);
        isReported = true;
        return undefined;
      }
      isReported = false;
      const metered = { input_tokens, output_tokens: 0, cost_usd: cost_usd || undefined };
      return { vectors, model: endpoint.id, usage: pricedUsage(metered, price) } satisfies Embeddings;
    },
  };
}

/** The price of a million tokens, if known. Settings take precedence over the prices above. */
export function embeddingPrice(settings: EmbeddingSettings): Price | undefined {
  const { embeddings } = settings;
  if (embeddings === "off") return undefined;
  const own = settings.prices?.[embeddings];
  if (own !== undefined) return own;
  const { model, kind } = new NamedModel(embeddings, settings);
  const input = kind === undefined ? undefined : prices[kind]?.[model];
  return input === undefined ? undefined : { input, output: 0 };
}

async function ask(
  client: OpenAI,
  { endpoint, named: { model } }: OpenAiService,
  texts: readonly string[],
  signal: AbortSignal,
) {
  // Set explicitly: the SDK's default is base64, which not every server knows.
  const request = { model, input: [...texts], encoding_format: "float" as const };
  const got: unknown = await client.embeddings.create(request, { signal });
  const answer = answerSchema.safeParse(got);
  if (!answer.success || answer.data.data.length !== texts.length)
    throw notAnAnswer(endpoint, "one vector for each text", got);
  const { data, usage } = answer.data;
  const inOrder = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const numbers = mayBeCut.test(model) ? kept : undefined;
  return {
    vectors: inOrder.map(({ embedding }) => normalised(embedding.slice(0, numbers), endpoint)),
    usage,
  };
}

function normalised(numbers: readonly number[], endpoint: Endpoint): Float32Array {
  const length = Math.hypot(...numbers);
  if (length === 0 || !Number.isFinite(length))
    throw modelError("bad_response", endpoint, "sent a vector without a direction", undefined);
  return Float32Array.from(numbers, (number) => number / length);
}

function sameLength(vectors: readonly Float32Array[], endpoint: Endpoint): void {
  if (vectors.some((vector) => vector.length !== vectors[0]?.length))
    throw modelError("bad_response", endpoint, "sent vectors of different lengths", undefined);
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    // Servers refuse empty texts.
    const cut = beginningOf(text, maxText).trim() || "-";
    const last = batches.at(-1);
    if (last === undefined || last.length === maxTexts || cut.length > room) {
      batches.push([cut]);
      room = maxCharacters - cut.length;
    } else {
      last.push(cut);
      room -= cut.length;
    }
  }
  return batches;
}
