import { type Charts, noCharts } from "./charts.ts";
import { type Embedder, noEmbedder } from "./embedder.ts";
import { type ImageMaker, noImageMaker } from "./image-maker.ts";
import type { Knowledge } from "./knowledge.ts";
import { noWebSearch, type WebSearch } from "./web-search.ts";

/** What the skills that ship do their work with, beside the web, the files and the chat. Each says why where it is not set up. */
export interface WorkMeans {
  search: WebSearch;
  images: ImageMaker;
  charts: Charts;
  embedder: Embedder;
  /** Undefined where nothing is kept. */
  knowledge: Knowledge | undefined;
}

/** A bot without any of it. */
export const noMeans: WorkMeans = {
  search: noWebSearch("No search engine is set up here."),
  images: noImageMaker("No service that makes pictures is set up here."),
  charts: noCharts,
  embedder: noEmbedder,
  knowledge: undefined,
};
