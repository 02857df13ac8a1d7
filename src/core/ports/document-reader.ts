import { z } from "zod";

/** Makes text of files that are not plain text. */
export interface DocumentReader {
  /**
   * What a file is called that can be read ("PDF", "Word document"), by its first bytes (512 are enough) and its name; by its name
   * alone where `head` is empty. Undefined for any other file, plain text and tables in text included.
   */
  formatOf(name: string, head: Uint8Array): string | undefined;
  /**
   * The text of a document. What cannot be read is a `problem`.
   * @throws the signal's reason, and nothing else
   */
  read(file: DocumentFile, signal: AbortSignal): Promise<DocumentText>;
  /**
   * The columns, the number of rows and the first rows of a table in text: comma, semicolon, tab or bar between its cells, the first
   * row naming the columns. The file may have any size.
   * @throws the signal's reason, and nothing else
   */
  table(file: DocumentFile, signal: AbortSignal): Promise<TableText>;
}

/** A file to read. It stays open, and its position where it is; whoever opened it closes it when the reading has ended. */
export interface DocumentFile {
  name: string;
  /** A regular file this process has open for reading. */
  descriptor: number;
}

const tableSchema = z.object({
  /** Of the sheet. */
  name: z.string().optional(),
  /** The cells of the first row that is not empty. */
  columns: z.array(z.string()).readonly(),
  /** Rows that are not empty, without the first. */
  rows: z.number(),
  /** The first rows, at most 20; fewer where they are very long. Long cells are cut. */
  first: z.array(z.array(z.string()).readonly()).readonly(),
  /** Between the cells, of a table in text. */
  delimiter: z.string().optional(),
});

/** A table's shape and beginning. */
export type Table = z.infer<typeof tableSchema>;

/** In words for people: what is wrong with the file and what to send instead. */
const failureSchema = z.object({ ok: z.literal(false), problem: z.string() });

export const documentTextSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** As `formatOf` calls it. */
    format: z.string(),
    /** Pages and slides begin with a line `--- page 3 ---`, sheets and files in an archive with their names. */
    text: z.string(),
    /** Of spreadsheets, one for each sheet that is not empty. */
    tables: z.array(tableSchema).readonly().optional(),
    /** Of a PDF. */
    pages: z.number().optional(),
    /** What is missing in the text, as sentences: it was cut, pages are scans, sheets were left out. */
    note: z.string().optional(),
  }),
  failureSchema,
]);

export type DocumentText = z.infer<typeof documentTextSchema>;

export const tableTextSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    table: tableSchema,
    /** Which encoding was guessed. */
    note: z.string().optional(),
  }),
  failureSchema,
]);

export type TableText = z.infer<typeof tableTextSchema>;
