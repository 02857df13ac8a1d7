import type { Usage } from "../log/usage.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { Json } from "../values/json.ts";

/** A row of a chart's data. */
export type ChartRow = Readonly<Record<string, Json>>;

/** A chart to draw. */
export interface WantedChart {
  /** A Vega-Lite specification without data: https://vega.github.io/vega-lite/docs/spec.html */
  spec: { [key: string]: Json };
  rows: readonly ChartRow[];
  /** Pixels, for a chart that does not consist of several. */
  width: number;
  height: number;
}

/** The drawn picture, or the reason for failure: in words for a model, with what to change. */
export type Drawn =
  | {
      ok: true;
      /** Twice the requested pixels. */
      png: Uint8Array;
      svg: string;
      /** Anomalies of the picture, as sentences. */
      notes: readonly string[];
    }
  | { ok: false; problem: string };

/** Draws without a browser, in a process that is limited in time and memory and reaches neither files nor network. */
export interface Charts {
  /** @throws the signal's reason, and nothing else */
  draw(chart: WantedChart, signal: AbortSignal): Promise<Drawn>;
  /**
   * Renders an SVG with the shipped font. Active content and references to other files are removed, and noted.
   * @param width pixels of the picture, at most 2,000; by default its own width
   * @throws the signal's reason, and nothing else
   */
  picture(svg: string, signal: AbortSignal, width?: number): Promise<Drawn>;
}

const notHere: Drawn = { ok: false, problem: "Nothing can be drawn here." };

/** Charts of a bot that cannot draw. */
export const noCharts: Charts = { draw: async () => notHere, picture: async () => notHere };

/** Embeddings of texts, as vectors of the same length. */
export interface Embeddings {
  /** In the order of the texts, each of length 1. */
  vectors: readonly Float32Array[];
  /** `provider/model` that made them; vectors of different models cannot be compared. */
  model: string;
  usage: Usage;
}

/** Computes vectors of texts. */
export interface Embedder {
  /** `provider/model`; undefined if none is set up. */
  readonly model: string | undefined;
  /** Undefined if none is set up, or if it failed: the search then uses words only. @throws the signal's reason */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embeddings | undefined>;
}

/** Embedder of a bot without vectors. */
export const noEmbedder: Embedder = { model: undefined, embed: async () => undefined };

/** A request for pictures. */
export interface WantedImage {
  prompt: string;
  shape: "square" | "wide" | "tall";
  /** Number of pictures, 1 to 4. */
  count: number;
  /** Pictures to edit instead of creating one from nothing. PNG, JPEG or WebP. */
  from?: readonly { name: string; media_type: string; data: Uint8Array }[] | undefined;
  transparent?: boolean | undefined;
}

export interface MadeImages {
  images: readonly { media_type: string; data: Uint8Array }[];
  /** The provider's version of the prompt, if it reports one. */
  revised_prompt?: string | undefined;
  /** `provider/model` that made them. */
  model: string;
  /** Without a cost if the price is not known. */
  usage: Usage;
}

/** No picture was made. The message gives people the reason; `detail` is for operators only. */
export class ImageError extends ExpectedFailure<"not_configured" | "refused" | "failed"> {
  readonly detail: string | undefined;
  constructor(code: ImageError["code"], message: string, detail?: string) {
    super(code, message);
    this.detail = detail;
  }
}

/** Makes pictures from words. */
export interface ImageMaker {
  /** `provider/model`; undefined if none is set up. */
  readonly model: string | undefined;
  /** @throws ImageError, or the signal's reason */
  make(wanted: WantedImage, signal: AbortSignal): Promise<MadeImages>;
}

/** Image maker of a bot that has none: fails with the reason. */
export function noImageMaker(reason: string): ImageMaker {
  return { model: undefined, make: () => Promise.reject(new ImageError("not_configured", reason)) };
}

/**
 * Documents that people added to a channel's knowledge, split into pieces. Pieces are found by their words, and by meaning if a provider
 * computes vectors.
 */

/** A document as listed. */
export interface KnownDocument {
  /** Assigned by the store; never reused in a namespace. */
  id: number;
  /** The file's name, or a page's title. */
  title: string;
  /** Its origin: the path in a thread's folder, or a web address. */
  source: string;
  /** The person who added it: platform user id, and name. */
  author: string;
  by: string;
  /** ms since the epoch. */
  at: number;
  pieces: number;
  characters: number;
}

/** A piece of a document. */
export interface KnownPiece {
  text: string;
  /** Its place in the document, in words: `page 3`, `sheet Orders`; empty if unknown. */
  place: string;
  /** Of length 1; absent if none was computed. */
  vector?: Float32Array | undefined;
  /** `provider/model` of the vector. */
  model?: string | undefined;
}

export interface FoundPiece {
  document: KnownDocument;
  place: string;
  text: string;
  /** Above 0, best first. Comparable within one search only. */
  score: number;
}

/** Every method is atomic, except for erasing the texts of removed documents from the disk: after a crash, `scrub` completes that. */
export interface Knowledge {
  /** Adds a document. Replaces a document with the same namespace and source. */
  add(
    namespace: string,
    document: Omit<KnownDocument, "id" | "pieces" | "characters">,
    pieces: readonly KnownPiece[],
  ): Promise<KnownDocument>;
  /** Latest first. */
  list(namespace: string): Promise<readonly KnownDocument[]>;
  /** Removes documents by id; returns those that existed. */
  remove(namespace: string, ids: readonly number[]): Promise<readonly KnownDocument[]>;
  /** Removes a person's documents in the channels for which `isThere` returns true; returns their number. With `dryRun` only counts. */
  clearAuthor(
    author: string,
    isThere: (namespace: string) => boolean,
    options?: { dryRun?: boolean },
  ): Promise<number>;
  /** The pieces of a document in order, read in pages; empty for an unknown document. */
  read(namespace: string, id: number): AsyncIterable<Pick<KnownPiece, "text" | "place">>;
  /** The channels that have documents. */
  namespaces(): Promise<readonly string[]>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
  /** The best matching pieces: by words, combined with those nearest to the vector if there is one of the same model. */
  search(
    namespace: string,
    query: { words: string; vector?: Float32Array | undefined; model?: string | undefined; most: number },
  ): Promise<readonly FoundPiece[]>;
}
