import { readSync } from "node:fs";
import { withoutInvisible } from "../../base/text/invisible-text.ts";
import { type DocumentText, type Table, type TableText, undecodedIn } from "../../core/ports/documents.ts";
import { type DocumentFormat, formatNames } from "../document-format.ts";
import type { ReadLimits, ReadRequest } from "../read-limits.ts";
import { type OpenedDocument, type ReadDocument, UnreadableDocument } from "./opened-document.ts";

/** Maximum of all tables of a document together, characters. */
const maxTableCharacters = 10_000_000;

type Read = (document: OpenedDocument) => Promise<ReadDocument>;

/** Libraries are loaded for the format that needs them. */
const readers: Readonly<Record<DocumentFormat, () => Promise<Read>>> = {
  pdf: async () => (await import("./read-pdf.ts")).readPdf,
  docx: async () => (await import("./read-word.ts")).readWord,
  xlsx: async () => (await import("./read-spreadsheet.ts")).readSpreadsheet,
  pptx: async () => (await import("./read-slides.ts")).readSlides,
  odt: async () => (await import("./read-open-document.ts")).readOpenDocument,
  ods: async () => (await import("./read-open-document.ts")).readOpenDocument,
  odp: async () => (await import("./read-open-document.ts")).readOpenDocument,
  html: async () => (await import("./read-web-page.ts")).readWebPage,
  eml: async () => (await import("./read-mail.ts")).readMail,
  zip: async () => (await import("./read-archive.ts")).readZipArchive,
  tar: async () => (await import("./read-archive.ts")).readTarArchive,
};

/** Reads an open file. @throws errors that no damaged file explains */
export async function readFile(
  descriptor: number,
  { as, bytes, limits }: ReadRequest,
): Promise<DocumentText | TableText> {
  try {
    if (as !== "table") return await documentText(as, content(descriptor, bytes), limits);
    const { readTable } = await import("./read-table.ts");
    return readTable(descriptor);
  } catch (error) {
    if (error instanceof UnreadableDocument) return { ok: false, problem: error.message };
    if (as === "table") throw error;
    // Any error of a library means that the file is not what it expects. To a person, a bug in Knack looks the same.
    return {
      ok: false,
      problem: `It is damaged or no ${formatNames[as]} that can be read; send it as PDF or text.`,
    };
  }
}

async function documentText(format: DocumentFormat, data: Buffer, limits: ReadLimits): Promise<DocumentText> {
  const read = await readers[format]();
  const { text, left_out, note, tables, ...found } = await read({ data, limits });
  const listed = tables === undefined ? undefined : firstTables(tables);
  const whole = text.text();
  const cleaned = clean(whole);
  const cut = limits.textCharacters.toLocaleString("en-US");
  return {
    ok: true,
    format: formatNames[format],
    text: cleaned,
    ...found,
    tables: listed,
    left_out: [
      ...left_out,
      ...(tables?.length === listed?.length ? [] : [`sheets after the first ${listed?.length}`]),
      ...(text.cut ? [`all after the first ${cut} characters`] : []),
      ...undecodedIn(whole),
    ],
    note: note ?? (cleaned === "" ? "It has no text." : undefined),
  };
}

/** The tables that are small enough to be passed on. */
function firstTables(tables: readonly Table[]): readonly Table[] {
  let characters = 0;
  const end = tables.findIndex((table) => {
    characters += JSON.stringify(table).length;
    return characters > maxTableCharacters;
  });
  return end < 0 ? tables : tables.slice(0, end);
}

function content(descriptor: number, bytes: number): Buffer {
  const data = Buffer.alloc(bytes);
  let at = 0;
  while (at < bytes) {
    const read = readSync(descriptor, data, at, bytes - at, at);
    if (read === 0) break;
    at += read;
  }
  return data.subarray(0, at);
}

/** Without control characters, invisible characters and repeated empty lines. */
function clean(text: string): string {
  return withoutInvisible(text.replace(/\r\n?/g, "\n"))
    .replace(/\n{3,}/g, "\n\n")
    .toWellFormed()
    .trim();
}
