import type { Usage } from "../core/log/usage.ts";
import { type ImageMaker, noImageMaker } from "../core/ports/services.ts";
import type { Clock } from "../core/ports/storage.ts";
import { kindOf, type ModelSettings, namedModel } from "./create-model.ts";
import { createOpenAiImageMaker, type FetchImage, type MeteredImages } from "./openai/image-maker.ts";
import { type Price, pricedUsage, withFee } from "./prices.ts";

export interface ImageSettings extends Pick<ModelSettings, "providers" | "prices"> {
  /** `provider/model`, or `off`. */
  images: string;
}

export interface ImageDeps {
  clock: Pick<Clock, "sleep">;
  fetchImage: FetchImage;
}

/** US dollars per million tokens; `image` is the price of a picture's input tokens. */
interface ImagePrice extends Price {
  image?: number;
}

/** One price for all of these models: developers.openai.com/api/docs/pricing. */
const gptImage: ImagePrice = { input: 5, image: 8, output: 30 };

/**
 * Creates the service that makes pictures. Its cost is based on the settings, else on the known price or the server's charge.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createImageMaker(settings: ImageSettings, { clock, fetchImage }: ImageDeps): ImageMaker {
  if (settings.images === "off") return noImageMaker("No service that makes pictures is set up here.");
  const { provider, model, server } = namedModel(settings.images, { providers: settings.providers });
  const kind = kindOf(server);
  const known = kind === "openai" && /^gpt-image-2(\.\d)?(-|$)/.test(model) ? gptImage : undefined;
  const price = settings.prices?.[settings.images] ?? known;
  const usageOf = (metered: MeteredImages | undefined) => priced(metered, price);
  const own = { server: kind ?? server.server, provider, model, usageOf, fetchImage };
  return createOpenAiImageMaker({ ...server, ...own }, clock);
}

function priced(metered: MeteredImages | undefined, price: ImagePrice | undefined): Usage {
  if (metered === undefined) return { input_tokens: 0, output_tokens: 0 };
  const { image_tokens, charged_usd, ...tokens } = metered;
  const usage = pricedUsage(tokens, price);
  if (price === undefined) return charged_usd === undefined ? usage : { ...usage, cost_usd: charged_usd };
  return withFee(usage, (image_tokens * ((price.image ?? price.input) - price.input)) / 1_000_000);
}
