import type { DocumentReader } from "../../../src/core/ports/documents.ts";

/** Reads only plain text, for tests that are not about documents. */
export const noDocuments: DocumentReader = {
  formatOf: () => undefined,
  read: async () => ({ ok: false, problem: "no documents are read in this test" }),
  table: async () => ({ ok: false, problem: "no tables are read in this test" }),
};
