import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DocumentReader, DocumentText } from "../core/ports/documents.ts";

/** A file that stood at an address in the place of a page. */
export interface FetchedDocument {
  url: URL;
  status: number;
  name: string;
  data: Uint8Array;
  /** What reads it. */
  documents: DocumentReader;
}

const named: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.presentation": "odp",
};

/** Types of files whose server says no more; their name then has to. */
const untold = new Set(["", "application/octet-stream", "binary/octet-stream", "application/x-download"]);

/** What a document is called, with the ending of its format; undefined for anything that is none by its type and name. */
export function documentName(mediaType: string, name: string): string | undefined {
  const ending = named[mediaType];
  if (ending !== undefined) return name.toLowerCase().endsWith(`.${ending}`) ? name : `${name}.${ending}`;
  const isDocument = /\.(pdf|docx|xlsx|pptx|odt|ods|odp)$/i.test(name);
  return untold.has(mediaType) && isDocument ? name : undefined;
}

/** The text of a document; it is on the disk only while it is read. */
export async function readDocument(
  { name, data, documents }: FetchedDocument,
  signal: AbortSignal,
): Promise<DocumentText> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-page-"));
  try {
    const file = await open(path.join(folder, "document"), "wx+", 0o600);
    try {
      await file.writeFile(data);
      return await documents.read({ name, descriptor: file.fd }, signal);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
