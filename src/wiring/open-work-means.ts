/** The configured means of the skills that ship, in addition to the web. */

import { createCharts } from "../charts/create-charts.ts";
import { providerOfModel } from "../config/model-providers.ts";
import type { Config } from "../config/schema.ts";
import { enginesIn, type SearchEngine } from "../config/search-schema.ts";
import type { ImageMaker, Knowledge } from "../core/ports/services.ts";
import type { Clock } from "../core/ports/storage.ts";
import { noWebSearch, type WebEngine, type WebSearch } from "../core/ports/web.ts";
import type { WorkMeans } from "../core/ports/work-means.ts";
import { createProviderSearch } from "../models/create-provider-search.ts";
import { createEmbedder } from "../models/openai/embedder.ts";
import { createImageMaker } from "../models/openai/image-maker.ts";
import type { OwnPorts } from "../net/address-policy.ts";
import { createDownload } from "../net/create-download.ts";
import { createWeb } from "../net/create-web.ts";
import { createWebSearch, howToGetOne } from "../web-search/create-web-search.ts";
import {
  braveEngine,
  exaEngine,
  searxngEngine,
  tavilyEngine,
  wikipediaEngine,
} from "../web-search/engines.ts";
import { modelSettings, webOptions } from "./app-settings.ts";

/**
 * @param own the ports of the bot itself, which searches must not reach
 * @param report reports a failure that only lowers the quality of the work
 */
export function openWorkMeans(
  config: Config,
  own: OwnPorts,
  clock: Clock,
  knowledge: Knowledge,
  report: (error: unknown, where: string) => void,
): WorkMeans {
  return {
    search: openSearch(config, own, clock),
    charts: createCharts(),
    images: openImages(config, own, clock),
    embedder: createEmbedder(modelSettings(config), clock, (error) => report(error, "vectors of texts")),
    knowledge,
  };
}

/** Image generation. Images that a server returns by URL are fetched from the operator's own server or from public addresses. */
function openImages(config: Config, own: OwnPorts, clock: Clock): ImageMaker {
  const address = providerOfModel(config.model.images, config.model)?.address;
  const named = address === undefined ? [] : [new URL(address).hostname];
  const fetchImage = createDownload({ allow: [...config.net.allow, ...named], own });
  return createImageMaker(modelSettings(config), clock, fetchImage);
}

/** The configured search engines. Defaults to Wikipedia; if the operator has chosen engines, only those are used. */
export function openSearch(config: Config, own: OwnPorts, clock: Clock): WebSearch {
  const { search, net } = config;
  // The operator set its address, which may be in a private network.
  const named = search.searxng_url === undefined ? [] : [new URL(search.searxng_url).hostname];
  const web = createWeb({ ...webOptions(config), own, allow: [...net.allow, ...named] });
  const make: Record<SearchEngine, () => WebEngine | undefined> = {
    model: () => createProviderSearch(modelSettings(config)),
    searxng: () => (search.searxng_url === undefined ? undefined : searxngEngine(web, search.searxng_url)),
    brave: () => (search.brave_api_key === undefined ? undefined : braveEngine(web, search.brave_api_key)),
    tavily: () =>
      search.tavily_api_key === undefined ? undefined : tavilyEngine(web, search.tavily_api_key),
    exa: () => (search.exa_api_key === undefined ? undefined : exaEngine(web, search.exa_api_key, clock.now)),
    wikipedia: () => wikipediaEngine(web),
  };
  const engines = enginesIn(search).flatMap((name) => make[name]() ?? []);
  if (engines.length > 0 || search.engines.length === 0) return createWebSearch(engines);
  if (search.engines === "auto") return createWebSearch([wikipediaEngine(web)]);
  return noWebSearch(
    "Nothing searches the web here: the model's provider has no search of its own, and search.engines names no other.",
    howToGetOne,
  );
}
