import type { Clock } from "../core/clock.ts";
import { type ImageMaker, noImageMaker } from "../core/image-maker.ts";
import { hostOf, type ModelSettings, namedModel } from "./create-model.ts";
import { createOpenAiImageMaker } from "./openai/image-maker.ts";
import { serverKindOf } from "./server-kind.ts";

export interface ImageSettings extends Pick<ModelSettings, "providers" | "prices"> {
  /** `provider/model`, or `off`. */
  images: string;
}

/**
 * What makes pictures. Its cost is counted where the settings have a price: no catalogue has them.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createImageMaker(settings: ImageSettings, clock: Pick<Clock, "sleep">): ImageMaker {
  if (settings.images === "off") return noImageMaker("No service that makes pictures is set up here.");
  const { provider, model, server } = namedModel(settings.images, { providers: settings.providers });
  const kind = serverKindOf(hostOf(server), server.server);
  const price = settings.prices?.[settings.images];
  return createOpenAiImageMaker({ ...server, server: kind ?? server.server, provider, model, price }, clock);
}
