import { expect, it } from "vitest";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { makeDocx, makeXlsx, sheetRow } from "../../support/documents/make-office.ts";
import { makeAsianPdf, makePdf } from "../../support/documents/make-pdf.ts";
import { withFile } from "../../support/documents/read-bytes.ts";
import { tgzOf } from "../packages/build-archives.ts";

it("documents that need different libraries are read at the same time, each in a sealed process", async () => {
  const reader = createDocumentReader();
  const { signal } = new AbortController();
  const documents: [name: string, content: string | Uint8Array][] = [
    ["a.pdf", makePdf(["word"])],
    [
      "asian.pdf",
      makeAsianPdf("UniGB-UCS2-H", "GB1", Buffer.from("word", "utf16le").swap16().toString("hex")),
    ],
    ["a.docx", makeDocx("<w:p><w:r><w:t>word</w:t></w:r></w:p>")],
    ["a.xlsx", makeXlsx({ S: sheetRow(1, "word") })],
    ["a.html", "<p>word</p>"],
    ["a.eml", "Subject: Hi\nContent-Type: text/html\n\n<p>word</p>"],
    ["a.tgz", tgzOf([{ name: "a.txt", data: "word" }])],
  ];
  const reads = await Promise.all(
    documents.map(([name, content]) => withFile(name, content, (file) => reader.read(file, signal))),
  );
  expect(reads).toEqual(
    documents.map(() => expect.objectContaining({ ok: true, text: expect.stringContaining("word") })),
  );
});
