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
