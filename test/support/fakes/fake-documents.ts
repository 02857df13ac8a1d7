import { fstatSync, readSync } from "node:fs";
import type { DocumentReader } from "../../../src/core/ports/documents.ts";

/** Reads files that begin with `%PDF` unless their name contains "broken", and counts the rows of tables. */
export const fakeDocuments: DocumentReader = {
  formatOf: (_name, head) => (Buffer.from(head).toString("latin1", 0, 4) === "%PDF" ? "PDF" : undefined),
  read: async ({ name }) =>
    name.startsWith("broken")
      ? { ok: false, problem: "it needs a password" }
      : { ok: true, format: "PDF", text: "the terms", left_out: [], note: "1 page" },
  table: async ({ descriptor }) => {
    const [columns = [], ...rows] = textOf(descriptor)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(","));
    return { ok: true, left_out: [], table: { columns, rows: rows.length, first: rows.slice(0, 20) } };
  },
};

/** All of a file, without moving its position. */
function textOf(descriptor: number): string {
  const data = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, data, 0, data.length, 0);
  return data.toString();
}
