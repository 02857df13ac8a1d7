import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { ImageError, type ImageMaker, type MadeImages, type WantedImage } from "../../core/image-maker.ts";
import type { ModelErrorCode } from "../../core/model.ts";
import { type Price, pricedUsage } from "../prices.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { createOpenAiClient, openAiUrl } from "./client.ts";

export interface ImageMakerOptions extends Omit<ProviderModelOptions, "timeoutMs"> {
  price: Price | undefined;
}

/** The slowest models take two minutes for a picture, ms. */
const patience = 300_000;
/** Bytes of one picture. */
const largest = 25_000_000;
/** Delay before the second attempt, ms. */
const delay = 2_000;

const sizes = { square: "1024x1024", wide: "1536x1024", tall: "1024x1536" } as const;
const ratios = { square: "1:1", wide: "16:9", tall: "9:16" } as const;

/**
 * Makes pictures with `/images/generations` and `/images/edits` of OpenAI, xAI, Azure and servers of one's own. A failure that passes is
 * tried a second time. https://developers.openai.com/api/docs/guides/image-generation
 */
export function createOpenAiImageMaker(options: ImageMakerOptions, clock: Pick<Clock, "sleep">): ImageMaker {
  const { provider = "openai", model, baseUrl = openAiUrl } = options;
  const endpoint: Endpoint = {
    id: `${provider}/${model}`,
    host: new URL(baseUrl).host,
    keyName: options.keyName ?? "OPENAI_API_KEY",
    apiKey: options.apiKey,
    headers: options.headers,
  };
  const client = createOpenAiClient(endpoint, baseUrl, { ...options, timeoutMs: patience });
  const attempt = async (wanted: WantedImage, signal: AbortSignal): Promise<MadeImages> => {
    const api = await client();
    const answer: unknown = await (wanted.from === undefined || wanted.from.length === 0
      ? api.images.generate(requestOf(wanted, options) as never, { signal, timeout: patience })
      : api.images.edit({ ...requestOf(wanted, options), image: await filesOf(wanted.from) } as never, {
          signal,
          timeout: patience,
        }));
    return await madeOf(answer, { model: endpoint.id, price: options.price, signal });
  };
  return {
    model: endpoint.id,
    async make(wanted, signal) {
      try {
        return await attempt(wanted, signal);
      } catch (error) {
        const code = toModelError(error, endpoint)?.code;
        if (signal.aborted || code === undefined || !passing.has(code))
          throw failureOf(error, endpoint, signal);
        await clock.sleep(delay, signal);
      }
      return await attempt(wanted, signal).catch((error: unknown) =>
        Promise.reject(failureOf(error, endpoint, signal)),
      );
    },
  };
}

function requestOf({ prompt, shape, count, transparent }: WantedImage, { model, server }: ImageMakerOptions) {
  const common = { model, prompt, n: count };
  // xAI knows ratios alone. https://docs.x.ai/docs/guides/image-generations
  if (server === "xai") return { ...common, aspect_ratio: ratios[shape], response_format: "b64_json" };
  const isGpt = model.startsWith("gpt-image") || model.startsWith("chatgpt-image");
  return {
    ...common,
    size: sizes[shape],
    ...(isGpt ? { moderation: "auto" } : { response_format: "b64_json" }),
    ...(transparent === true && isGpt ? { background: "transparent", output_format: "png" } : {}),
  };
}

async function filesOf(from: NonNullable<WantedImage["from"]>): Promise<File[]> {
  return from.map(({ name, media_type, data }) => new File([Buffer.from(data)], name, { type: media_type }));
}

const answerSchema = z.object({
  data: z.array(
    z.object({
      b64_json: z.string().nullish(),
      url: z.string().nullish(),
      revised_prompt: z.string().nullish(),
    }),
  ),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).nullish(),
});

async function madeOf(
  answer: unknown,
  { model, price, signal }: { model: string; price: Price | undefined; signal: AbortSignal },
): Promise<MadeImages> {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw new ImageError("failed", words.bad_response);
  const { data, usage } = parsed.data;
  const images: MadeImages["images"][number][] = [];
  for (const { b64_json, url } of data) {
    const bytes = b64_json ? Buffer.from(b64_json, "base64") : url ? await fetched(url, signal) : undefined;
    const media_type = bytes === undefined ? undefined : typeOf(bytes);
    if (bytes !== undefined && media_type !== undefined && bytes.byteLength <= largest)
      images.push({ media_type, data: bytes });
  }
  if (images.length === 0)
    throw new ImageError(
      "failed",
      "The service that makes pictures sent none that can be shown; try again, or in other words.",
    );
  const revised = data.find(({ revised_prompt }) => revised_prompt)?.revised_prompt;
  return {
    images,
    model,
    usage: pricedUsage(usage ?? undefined, price),
    ...(revised ? { revised_prompt: revised } : {}),
  };
}

/** Some servers answer where the picture is, for an hour. The operator chose the server, and what comes is looked at. */
async function fetched(url: string, signal: AbortSignal): Promise<Buffer | undefined> {
  if (!/^https?:\/\//.test(url)) return undefined;
  const response = await fetch(url, { signal });
  return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
}

/** What a picture is, by its first bytes. */
function typeOf(data: Buffer): string | undefined {
  const head = data.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

const passing: ReadonlySet<ModelErrorCode> = new Set(["rate_limited", "overloaded", "unavailable"]);

/** What people are told; the error itself names servers. */
const words: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "The service that makes pictures takes no more requests for now; try again in a few minutes.",
  overloaded: "The service that makes pictures is overloaded; try again in a few minutes.",
  unavailable: "The service that makes pictures did not answer; try again in a moment.",
  unauthorized:
    "The service that makes pictures refused the key of this bot; whoever runs the bot has to check it.",
  invalid_request:
    "The service that makes pictures did not take this; what it shows may not be allowed there. Try other words.",
  context_too_long: "The description is too long for the service that makes pictures; make it shorter.",
  bad_response:
    "The service that makes pictures sent something unreadable; whoever runs the bot has to check it.",
  not_configured:
    "The service that makes pictures does not know the model; whoever runs the bot has to check it.",
};

function failureOf(error: unknown, endpoint: Endpoint, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ImageError) return error;
  const failure = toModelError(error, endpoint);
  if (failure === undefined) return error;
  const isRefused = failure.code === "invalid_request" || failure.code === "context_too_long";
  return new ImageError(isRefused ? "refused" : "failed", words[failure.code], failure.message);
}
