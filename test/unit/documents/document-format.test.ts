import { expect, it } from "vitest";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { makeOpenDocument, makeZip } from "../../support/documents/make-office.ts";
import { makePdf } from "../../support/documents/make-pdf.ts";

const { formatOf } = createDocumentReader();
const png = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");

it.each([
  ["by its name where there are no bytes yet", "a.PDF", Buffer.alloc(0), "PDF"],
  ["by the end of its name only", "a.pdf.txt", Buffer.alloc(0), undefined],
  ["by its bytes under another name", "a.txt", makePdf(["x"]), "PDF"],
  ["with a header that comes late", "a.pdf", Buffer.from(`${"x".repeat(900)}%PDF-1.4`), "PDF"],
  ["text that mentions the header", "a.txt", Buffer.from(`${"x".repeat(9)}%PDF-1.4`), undefined],
  ["a picture that is called a PDF", "a.pdf", png, undefined],
  ["an archive by the name of what it holds", "a.docx", makeZip({ a: "b" }), "Word document"],
  ["an archive without such a name", "a.bin", makeZip({ a: "b" }), "ZIP archive"],
  ["OpenDocument by its type", "a.bin", makeOpenDocument("text", ""), "OpenDocument text"],
  ["a web page", "a.html", Buffer.from("<p>hello"), "web page"],
  ["binary data called a web page", "a.html", Buffer.from([0, 1, 2]), undefined],
  ["plain text", "a.txt", Buffer.from("hello"), undefined],
  ["a table in text", "a.csv", Buffer.from("a,b"), undefined],
  ["a name that is a property of objects", "a.constructor", Buffer.alloc(0), undefined],
])("a document's format is recognised: %s", (_what, name, head, format) => {
  expect(formatOf(name, head)).toBe(format);
});
