import type { DocumentFormat } from "./document-format.ts";

/** Limits for reading one file. */
export interface ReadLimits {
  /** From the start of the reading process to its answer, ms. */
  timeoutMs: number;
  /** Resident memory of the reading process, bytes. */
  memoryBytes: number;
  /** Maximum size of a document. Tables in text may have any size. */
  documentBytes: number;
  /** Maximum of everything that is unpacked from a document or archive. */
  unpackedBytes: number;
  /** Maximum entries of a document that is an archive; for an archive, those that are listed. */
  entries: number;
  /** Maximum text, characters; the rest is cut. */
  textCharacters: number;
}

export const defaultLimits: ReadLimits = {
  timeoutMs: 30_000,
  memoryBytes: 1_000_000_000,
  documentBytes: 50_000_000,
  unpackedBytes: 200_000_000,
  entries: 10_000,
  textCharacters: 5_000_000,
};

/** The request to the reading process, as its argument; the file is its descriptor 3. */
export interface ReadRequest {
  as: DocumentFormat | "table";
  bytes: number;
  limits: ReadLimits;
}
