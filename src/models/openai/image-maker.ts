import type { OpenAI } from "openai";
import { z } from "zod";
import { formatBytes } from "../../base/amounts.ts";
import type { Usage } from "../../core/log/usage.ts";
import { mayHelp } from "../../core/ports/model.ts";
import {
  ImageError,
  type ImageMaker,
  type MadeImages,
  noImageMaker,
  type WantedImage,
} from "../../core/ports/services.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { ModelSettings } from "../named-model.ts";
import { type Price, pricedUsage, withFee } from "../prices.ts";
import { type Endpoint, notAnAnswer, toModelError } from "../provider-error.ts";
import { OpenAiService, serviceFailure } from "./service.ts";

/** Fetches a file from an address in a server's answer, with the network guards. `reason` is a sentence for people. */
type FetchImage = (
  url: string,
  limits: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
) => Promise<{ ok: true; data: Uint8Array } | { ok: false; reason: string }>;

export interface ImageSettings extends Pick<ModelSettings, "providers" | "prices"> {
  /** `provider/model`, or `off`. */
  images: string;
}

/** US dollars per million tokens; `image` is the price of a picture's input tokens. */
interface ImagePrice extends Price {
  image?: number;
}

/** One price for all of these models: developers.openai.com/api/docs/pricing. */
const gptImage: ImagePrice = { input: 5, image: 8, output: 30 };

/** Maximum time of one attempt, ms: the slowest models take two minutes for a picture. */
const maxMs = 300_000;
/** Maximum bytes of one picture. */
const maxBytes = 25_000_000;
/** Delay before the second attempt, ms. */
const delayAfter = (failure: unknown) => (mayHelp("later", failure) ? 2_000 : undefined);

const sizes = { square: "1024x1024", wide: "1536x1024", tall: "1024x1536" } as const;
const ratios = { square: "1:1", wide: "16:9", tall: "9:16" } as const;

/**
 * Creates the service that makes pictures, with `/images/generations` and `/images/edits` of OpenAI, xAI, Azure and self-hosted servers.
 * Its cost is based on the settings, else on the known price or the server's charge. Retries once after a transient failure.
 * https://developers.openai.com/api/docs/guides/image-generation
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createImageMaker(
  settings: ImageSettings,
  clock: Pick<Clock, "sleep">,
  fetchImage: FetchImage,
): ImageMaker {
  if (settings.images === "off") return noImageMaker("No service that makes pictures is set up here.");
  const service = new OpenAiService(settings.images, settings, { clock, maxMs, attempts: 2, delayAfter });
  const { endpoint, named } = service;
  const { model, kind, server } = named;
  const known = kind === "openai" && /^gpt-image-2(\.\d)?(-|$)/.test(model) ? gptImage : undefined;
  const price = settings.prices?.[settings.images] ?? known;
  const called = { model, isXai: (kind ?? server.server) === "xai" };
  const attempt = async (api: OpenAI, wanted: WantedImage, signal: AbortSignal): Promise<MadeImages> => {
    const answer = await ask(api, wanted, called, signal);
    return await madeOf(answer, { price, fetchImage, endpoint, count: wanted.count }, signal);
  };
  return {
    model: endpoint.id,
    async make(wanted, signal) {
      try {
        return await service.ask(signal, (api) => attempt(api, wanted, signal));
      } catch (error) {
        throw failureOf(error, endpoint, signal);
      }
    },
  };
}

interface CalledModel {
  model: string;
  isXai: boolean;
}

async function ask(
  api: OpenAI,
  wanted: WantedImage,
  called: CalledModel,
  signal: AbortSignal,
): Promise<unknown> {
  const request = requestOf(wanted, called);
  const limits = { signal, timeout: maxMs };
  const { from = [] } = wanted;
  if (from.length === 0) return await api.images.generate(request as never, limits);
  if (!called.isXai) return await api.images.edit({ ...request, image: filesOf(from) } as never, limits);
  // xAI takes pictures as addresses in JSON instead of a form: https://docs.x.ai/docs/guides/image-generations
  const images = from.map(({ media_type, data }) => ({
    type: "image_url",
    url: `data:${media_type};base64,${Buffer.from(data).toString("base64")}`,
  }));
  const body = { ...request, ...(images.length === 1 ? { image: images[0] } : { images }) };
  return await api.post("/images/edits", { ...limits, body });
}

function requestOf({ prompt, shape, count, transparent }: WantedImage, { model, isXai }: CalledModel) {
  const common = { model, prompt, n: count };
  // xAI takes aspect ratios, not sizes.
  if (isXai) return { ...common, aspect_ratio: ratios[shape], response_format: "b64_json" };
  const size = sizes[shape];
  const isGpt = model.startsWith("gpt-image") || model.startsWith("chatgpt-image");
  if (!isGpt) return { ...common, size, response_format: "b64_json" };
  const asked = { ...common, size, moderation: "auto" };
  return transparent === true ? { ...asked, background: "transparent", output_format: "png" } : asked;
}

function filesOf(from: NonNullable<WantedImage["from"]>): File[] {
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
  usage: z
    .object({
      input_tokens: z.number().default(0),
      output_tokens: z.number().default(0),
      input_tokens_details: z.object({ image_tokens: z.number().default(0) }).nullish(),
      cost_in_usd_ticks: z.number().nullish(),
    })
    .nullish()
    .catch(undefined),
});
type ImageAnswer = z.output<typeof answerSchema>;

/** xAI reports its charge in ticks: https://docs.x.ai/docs/cost-tracking */
const ticksPerUsd = 1e10;

function priced({ usage }: ImageAnswer, price: ImagePrice | undefined): Usage {
  if (!usage) return { input_tokens: 0, output_tokens: 0 };
  const { input_tokens, output_tokens, input_tokens_details, cost_in_usd_ticks: ticks } = usage;
  const counted = pricedUsage({ input_tokens, output_tokens }, price);
  if (price === undefined) {
    return typeof ticks === "number" ? { ...counted, cost_usd: ticks / ticksPerUsd } : counted;
  }
  // `input_tokens` include those of pictures, which have a price of their own.
  const image_tokens = input_tokens_details?.image_tokens ?? 0;
  return withFee(counted, (image_tokens * ((price.image ?? price.input) - price.input)) / 1_000_000);
}

interface Making extends Pick<WantedImage, "count"> {
  endpoint: Endpoint;
  price: ImagePrice | undefined;
  fetchImage: FetchImage;
}

async function madeOf(
  answer: unknown,
  { endpoint, count, price, fetchImage }: Making,
  signal: AbortSignal,
): Promise<MadeImages> {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw notAnAnswer(endpoint, "pictures", answer);
  // Pictures beyond the requested count are ignored.
  const data = parsed.data.data.slice(0, count);
  const images: MadeImages["images"][number][] = [];
  const problems: string[] = [];
  for (const one of data) {
    const read = await readImage(one, fetchImage, signal);
    if ("problem" in read) problems.push(read.problem);
    else images.push(read);
  }
  // xAI sends an empty list where its rules do not allow the result.
  const [problem = "sent none: its rules may not allow what is described; try other words"] = problems;
  if (images.length === 0) throw new ImageError("failed", `The service that makes pictures ${problem}.`);
  const revised = data.find(({ revised_prompt }) => revised_prompt)?.revised_prompt;
  const usage = priced(parsed.data, price);
  return { images, model: endpoint.id, usage, revised_prompt: revised || undefined };
}

/** A picture as it was sent, or from the address that was sent; or why there is none. */
async function readImage(
  { b64_json, url }: ImageAnswer["data"][number],
  fetchImage: FetchImage,
  signal: AbortSignal,
): Promise<MadeImages["images"][number] | { problem: string }> {
  const tooLarge = { problem: `sent one of more than ${formatBytes(maxBytes)}; ask for a smaller one` };
  // Some servers send a data URL in place of the address, and some in place of the base64 text.
  const [, inUrl] = /^data:[^,]{0,100};base64,([\s\S]*)$/.exec(b64_json || url || "") ?? [];
  const base64 = inUrl ?? b64_json;
  if (base64 && base64.length > maxBytes * 1.4) return tooLarge;
  const found = base64 ? Buffer.from(base64, "base64") : await fetched(url ?? "", fetchImage, signal);
  if (found === undefined) return { problem: "sent none that can be fetched; try again" };
  if (found.byteLength > maxBytes) return tooLarge;
  const media_type = typeOf(found);
  if (media_type === undefined) return { problem: "sent none that can be shown; try again" };
  return { media_type, data: found };
}

/** Some servers answer with an address, which is valid for an hour. */
async function fetched(
  url: string,
  fetchImage: FetchImage,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (url === "") return undefined;
  const got = await fetchImage(url, { maxBytes, timeoutMs: 60_000, signal });
  return got.ok ? Buffer.from(got.data) : undefined;
}

/** The media type of a picture, by its first bytes. */
function typeOf(data: Buffer): string | undefined {
  const head = data.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

const forbidden =
  "The service that makes pictures refused this: its rules do not allow what is described or shown. Ask for something else, or in other words.";

function failureOf(error: unknown, endpoint: Endpoint, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ImageError) return error;
  const failure = toModelError(error, endpoint);
  if (failure === undefined) return error;
  if (isForbidden(error)) return new ImageError("refused", forbidden, failure.message);
  const { kind, words } = serviceFailure("The service that makes pictures", failure.code);
  return new ImageError(kind, `${words}.`, failure.message);
}

/** Whether the request is against the rules, by the error codes of OpenAI, Azure and others. */
function isForbidden(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(moderation_blocked|content_policy_violation|content_?filter(ed)?)$/i.test(code);
}
