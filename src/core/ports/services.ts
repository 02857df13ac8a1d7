import type { Usage } from "../log/turn-event.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { Json } from "../values/json.ts";

/** A row of a chart's data. */
export type ChartRow = Readonly<Record<string, Json>>;

/** A chart to be drawn. */
export interface WantedChart {
  /** A Vega-Lite specification without data: https://vega.github.io/vega-lite/docs/spec.html */
  spec: { [key: string]: Json };
  rows: readonly ChartRow[];
  /** Pixels, of a chart that is not made of several. */
  width: number;
  height: number;
}

/** The drawn picture, or why it could not be drawn: in words for a model, with what to change. */
export type Drawn =
  | {
      ok: true;
      /** Twice the pixels that were asked for. */
      png: Uint8Array;
      svg: string;
      /** What is odd about the picture, as sentences. */
      notes: readonly string[];
    }
  | { ok: false; problem: string };

/** Draws without a browser, in a process that dies with its time and memory, and that reaches neither files nor network. */
export interface Charts {
  /** @throws the signal's reason, and nothing else */
  draw(chart: WantedChart, signal: AbortSignal): Promise<Drawn>;
  /**
   * A picture of an SVG with the shipped font. What is active in it or leads elsewhere is taken out, and noted.
   * @param width pixels of the picture, at most 2,000; its own unless given
   * @throws the signal's reason, and nothing else
   */
  picture(svg: string, signal: AbortSignal, width?: number): Promise<Drawn>;
}

const notHere: Drawn = { ok: false, problem: "Nothing can be drawn here." };

/** A bot that draws nothing. */
export const noCharts: Charts = { draw: async () => notHere, picture: async () => notHere };

/** What texts mean, as vectors of one length. */
export interface Embeddings {
  /** In the order of the texts, each of length 1. */
  vectors: readonly Float32Array[];
  /** `provider/model` that made them; vectors of different models cannot be compared. */
  model: string;
  usage: Usage;
}

/** Makes vectors of texts. */
export interface Embedder {
  /** `provider/model`; undefined where none is set up. */
  readonly model: string | undefined;
  /** Undefined where none is set up, or where it failed: then words alone are searched. @throws the signal's reason */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embeddings | undefined>;
}

/** A bot without vectors. */
export const noEmbedder: Embedder = { model: undefined, embed: async () => undefined };

/** A picture to be made. */
export interface WantedImage {
  prompt: string;
  shape: "square" | "wide" | "tall";
  /** How many, 1 to 4. */
  count: number;
  /** Pictures to begin with: they are changed instead of one being made from nothing. PNG, JPEG or WebP. */
  from?: readonly { name: string; media_type: string; data: Uint8Array }[] | undefined;
  transparent?: boolean | undefined;
}

export interface MadeImages {
  images: readonly { media_type: string; data: Uint8Array }[];
  /** What the provider made of the prompt, where it says so. */
  revised_prompt?: string | undefined;
  /** `provider/model` that made them. */
  model: string;
  /** Without a cost where the price is not known. */
  usage: Usage;
}

/** No picture was made. The message says why, in words for people; `detail` is for operators alone. */
export class ImageError extends ExpectedFailure<"not_configured" | "refused" | "failed"> {
  readonly detail: string | undefined;
  constructor(code: ImageError["code"], message: string, detail?: string) {
    super(code, message);
    this.detail = detail;
  }
}

/** Makes pictures from words. */
export interface ImageMaker {
  /** `provider/model`; undefined where none is set up. */
  readonly model: string | undefined;
  /** @throws ImageError, or the signal's reason */
  make(wanted: WantedImage, signal: AbortSignal): Promise<MadeImages>;
}

/** A bot that makes no pictures: it says why. */
export function noImageMaker(reason: string): ImageMaker {
  return { model: undefined, make: () => Promise.reject(new ImageError("not_configured", reason)) };
}

/**
 * Documents that people added to what a channel knows: cut into pieces that are found by their words, and by what they mean where a provider
 * makes vectors.
 */

/** A document as it is listed. */
export interface KnownDocument {
  /** Given by the store; never given twice in a namespace. */
  id: number;
  /** The file's name, or a page's title. */
  title: string;
  /** Where it came from: the path in a thread's folder, or a web address. */
  source: string;
  /** Who added it: the platform's user id, and their name. */
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
  /** Where in the document it stands, in words: `page 3`, `sheet Orders`; empty where nothing says so. */
  place: string;
  /** Of length 1; absent where no vectors were made. */
  vector?: Float32Array | undefined;
  /** `provider/model` of the vector. */
  model?: string | undefined;
}

export interface FoundPiece {
  document: KnownDocument;
  place: string;
  text: string;
  /** Above 0, the best first. Comparable within one search only. */
  score: number;
}

/** Every method is atomic, but for what takes the texts of removed documents off the disk: a crash leaves it to `scrub`. */
export interface Knowledge {
  /** Adds a document; one of the same namespace and source is replaced. */
  add(
    namespace: string,
    document: Omit<KnownDocument, "id" | "pieces" | "characters">,
    pieces: readonly KnownPiece[],
  ): Promise<KnownDocument>;
  /** The latest first. */
  list(namespace: string): Promise<readonly KnownDocument[]>;
  /** Removes documents by id; answers those that were there. */
  remove(namespace: string, ids: readonly number[]): Promise<readonly KnownDocument[]>;
  /** Removes what a person added to the channels that `isThere` holds for; answers how many. With `dryRun` only counts. */
  clearAuthor(
    author: string,
    isThere: (namespace: string) => boolean,
    options?: { dryRun?: boolean },
  ): Promise<number>;
  /** The pieces of a document in their order, a page at a time; empty for one that is not there. */
  read(namespace: string, id: number): AsyncIterable<Pick<KnownPiece, "text" | "place">>;
  /** The channels that have documents. */
  namespaces(): Promise<readonly string[]>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
  /** The pieces that fit best: by words, joined with those nearest to the vector where there is one of the same model. */
  search(
    namespace: string,
    query: { words: string; vector?: Float32Array | undefined; model?: string | undefined; most: number },
  ): Promise<readonly FoundPiece[]>;
}
