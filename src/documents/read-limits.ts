import type { DocumentFormat } from "./document-format.ts";

/** What reading one file may cost. */
export interface ReadLimits {
  /** From the start of the reading process to its answer, ms. */
  timeoutMs: number;
  /** Resident memory of the reading process, bytes. */
  memoryBytes: number;
  /** Of a document. Tables in text may have any size. */
  documentBytes: number;
  /** What a document or archive may unpack to: everything that is unpacked of it together. */
  unpackedBytes: number;
  /** Entries of a document that is an archive; of an archive, those that are listed. */
  entries: number;
  /** Of the text, characters; what is longer is cut. */
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

/** What the reading process is asked for, in its argument; the file is its descriptor 3. */
export interface ReadRequest {
  as: DocumentFormat | "table";
  bytes: number;
  limits: ReadLimits;
}
