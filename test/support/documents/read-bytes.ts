import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DocumentFile, DocumentText, TableText } from "../../../src/core/ports/documents.ts";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { documentFormat } from "../../../src/documents/document-format.ts";
import { readFile } from "../../../src/documents/inside/read-file.ts";
import { defaultLimits, type ReadLimits } from "../../../src/documents/read-limits.ts";

/** Hands `use` an open file with this content; it is closed and deleted after. */
export async function withFile<T>(
  name: string,
  content: string | Uint8Array,
  use: (file: DocumentFile) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "document-"));
  const place = path.join(folder, "file");
  writeFileSync(place, content);
  const descriptor = openSync(place, "r");
  try {
    return await use({ name, descriptor });
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}

/** What the reading process answers for a file with this name and content, without the process, which costs half a second. */
export function readInside(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
): Promise<DocumentText | TableText> {
  const data = Buffer.from(content);
  const as = documentFormat(name, data.subarray(0, 1_024));
  if (as === undefined) throw new Error(`${name} has no format that is read`);
  const request = { as, bytes: data.byteLength, limits: { ...defaultLimits, ...limits } };
  return withFile(name, data, ({ descriptor }) => readFile(descriptor, request));
}

/** The reader's result for a file with this name and content. */
export function readBytes(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<DocumentText> {
  return withFile(name, content, (file) => createDocumentReader(limits).read(file, signal));
}

/** The table the reader finds in a file with this content. */
export function tableOf(content: string | Uint8Array, limits: Partial<ReadLimits> = {}): Promise<TableText> {
  return withFile("table.csv", content, (file) =>
    createDocumentReader(limits).table(file, new AbortController().signal),
  );
}
