import type { Usage } from "../log/turn-event.ts";

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
