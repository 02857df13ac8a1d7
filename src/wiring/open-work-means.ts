/** What the skills that ship work with beside the web, as the configuration says. */

import { createCharts } from "../charts/create-charts.ts";
import type { Config } from "../config/schema.ts";
import { enginesIn, type SearchEngine } from "../config/search-schema.ts";
import type { Clock } from "../core/clock.ts";
import type { WebEngine, WebSearch } from "../core/web-search.ts";
import { noMeans, type WorkMeans } from "../core/work-means.ts";
import { createImageMaker } from "../models/create-image-maker.ts";
import { createProviderSearch } from "../models/create-provider-search.ts";
import type { OwnPort } from "../net/address-policy.ts";
import { createWeb } from "../net/create-web.ts";
import { createWebSearch } from "../web-search/create-web-search.ts";
import {
  braveEngine,
  exaEngine,
  searxngEngine,
  tavilyEngine,
  wikipediaEngine,
} from "../web-search/engines.ts";
import { modelSettings, webOptions } from "./app-settings.ts";

export interface MeansDeps {
  /** Where the bot itself listens: nothing of it is searched. */
  own: OwnPort;
  clock: Clock;
}

export function openWorkMeans(config: Config, deps: MeansDeps): WorkMeans {
  return {
    ...noMeans,
    search: openSearch(config, deps),
    charts: createCharts(),
    images: createImageMaker(modelSettings(config), deps.clock),
  };
}

/** The engines of the configuration; Wikipedia where there is no other. */
export function openSearch(config: Config, { own, clock }: MeansDeps): WebSearch {
  const { search, net } = config;
  // The operator named its address, which may be in a private network.
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
  const isOff = search.engines !== "auto" && search.engines.length === 0;
  return createWebSearch(engines.length === 0 && !isOff ? [wikipediaEngine(web)] : engines);
}
