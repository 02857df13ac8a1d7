/** One file as a browser gets it. */
export interface Asset {
  body: string | Uint8Array<ArrayBuffer>;
  /** The media type. */
  type: string;
  /** Quoted, from the content. */
  etag: string;
}

/** The files of the console. */
export interface Assets {
  /** The page at `/`; undefined when there is no console. */
  page(): Promise<Asset | undefined>;
  /** A file by its path below `/assets/`. Undefined for one that does not exist or is not for browsers. */
  file(path: string): Promise<Asset | undefined>;
  /** The hashes (`sha256-…`) of the page's inline scripts, for the content security policy. */
  scriptHashes(): readonly string[];
}
