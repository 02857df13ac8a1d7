import { spawnSync } from "node:child_process";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import {
  makeDocx,
  makeOpenDocument,
  makePptx,
  makeXlsx,
  makeZip,
  relationships,
  sheetRow,
  withDeclaredSize,
} from "../../support/documents/make-office.ts";
import { makeLockedPdf, makePdf, pdfOf } from "../../support/documents/make-pdf.ts";
import { readBytes, readInside, tableOf } from "../../support/documents/read-bytes.ts";

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const zeros = new Uint8Array(3_000_000);
const small = { unpackedBytes: 2_000_000 };

/** Entities that multiply to 10^11 characters. */
const laughs = `<!DOCTYPE d [<!ENTITY l0 "lol">${Array.from(
  { length: 11 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join("")}]>`;

it.each([
  [
    "a Word document that unpacks to too much",
    "a.docx",
    makeDocx("", { "word/zeros.xml": zeros }),
    /larger than 2 MB/,
  ],
  [
    "one that declares less than it unpacks to",
    "a.docx",
    withDeclaredSize(makeZip({ "word/document.xml": zeros }), 0, 9),
    /damaged/,
  ],
  [
    "a spreadsheet that unpacks to too much",
    "a.xlsx",
    makeXlsx({ S: "" }, { "xl/zeros.xml": zeros }),
    /larger than 2 MB/,
  ],
  [
    "a presentation that unpacks to too much",
    "a.pptx",
    makeZip({ "ppt/presentation.xml": zeros }),
    /larger than 2 MB/,
  ],
  [
    "an OpenDocument file that unpacks to too much",
    "a.odt",
    makeZip({ "content.xml": zeros }),
    /larger than 2 MB/,
  ],
  [
    "an OpenDocument file that is encrypted",
    "a.odt",
    makeOpenDocument("text", "", { "META-INF/manifest.xml": "<manifest:encryption-data/>" }),
    /password/,
  ],
  [
    "a sheet whose last cell is used",
    "a.xlsx",
    makeXlsx({ S: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }),
    /1,048,576 rows high and 16,384 columns wide/,
  ],
  [
    "a sheet with a row beyond the last",
    "a.xlsx",
    makeXlsx({ S: '<row r="999999999"><c r="A999999999"><v>1</v></c></row>' }),
    /too large/,
  ],
  [
    "an OpenDocument sheet of repetitions",
    "a.ods",
    makeOpenDocument(
      "spreadsheet",
      '<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
    ),
    /more cells/,
  ],
  [
    "a Word document with entities that multiply",
    "a.docx",
    makeDocx(paragraph("&l11;"), {}, laughs),
    /no Word document that can be read/,
  ],
  [
    "a Word document with an entity from a file",
    "a.docx",
    makeDocx(paragraph("&e;"), {}, '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
    /no Word document that can be read/,
  ],
  [
    "a PDF whose pages are its pages",
    "a.pdf",
    pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>"]),
    /damaged/,
  ],
  [
    "a PDF that claims pages and has none",
    "a.pdf",
    pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 1000000000 >>"]),
    /damaged/,
  ],
  ["a PDF with a password", "a.pdf", makeLockedPdf(), /protected with a password/],
  ["half a PDF", "a.pdf", makePdf(["x", "y"]).subarray(0, 300), /damaged or incomplete/],
  ["half a Word document", "a.docx", makeDocx(paragraph("x")).subarray(0, 500), /damaged or incomplete/],
  ["half an archive", "a.zip", makeZip({ a: "b" }).subarray(0, 20), /damaged or incomplete/],
  ["half a tar archive", "a.tgz", Buffer.from("1f8b0800000000000003ab", "hex"), /damaged or incomplete/],
  ["a mail that is none", "a.eml", "\r\nhello", /not an e-mail/],
])("the reader says why it cannot read %s", async (_what, name, content, problem) => {
  const read = await readInside(name, content, small);
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(problem) });
});

it.each([
  [
    "an Office document with a password",
    "a.xlsx",
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    /protected with a password/,
  ],
  [
    "an old Office document",
    "a.doc",
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    /Office 2003 or older; save it as/,
  ],
  ["an RTF file", "a.rtf", "{\\rtf1 hello}", /RTF file; save it as/],
  ["a PNG named .pdf", "a.pdf", Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), /a PNG picture, not a PDF/],
  ["text named .xlsx", "a.xlsx", "hello", /no Excel spreadsheet/],
  ["an unknown file", "a.xyz", "hello", /not a document/],
  ["an empty file", "a.pdf", "", /empty/],
])("the reader says why it does not open %s", async (_what, name, content, problem) => {
  expect(await readBytes(name, content)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
});

it("a PDF that is nested too deeply for its process is refused as damaged", async () => {
  const nested = pdfOf([`<< /Type /Catalog /Pages 2 0 R /X ${"[".repeat(1_000_000)} >>`]);
  const read = await readBytes("a.pdf", nested);
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(/damaged/) });
});

it("a spreadsheet with multiplying entities is read unexpanded", async () => {
  const sheet = `${laughs}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${sheetRow(1, "a &l11; b")}</sheetData></worksheet>`;
  const read = await readInside("a.xlsx", makeXlsx({ S: "" }, { "xl/worksheets/sheet1.xml": sheet }));
  expect(read).toMatchObject({ ok: true, text: "--- S ---\na &l11; b" });
});

it("a sheet's claimed size is ignored", async () => {
  const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/><sheetData>${sheetRow(1, "a")}</sheetData></worksheet>`;
  const read = await readInside("a.xlsx", makeXlsx({ S: "" }, { "xl/worksheets/sheet1.xml": sheet }));
  expect(read).toMatchObject({ ok: true, text: "--- S ---\na" });
});

it("a Word document whose picture is elsewhere is read without the picture [text-1]", async () => {
  const picture =
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:link="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
  const links = relationships({ id: "rId9", type: "image", target: "file:///etc/passwd", external: true });
  const document = makeDocx(paragraph("before") + picture + paragraph("after"), {
    "word/_rels/document.xml.rels": links,
  });
  const read = await readInside("a.docx", document);
  expect(read).toMatchObject({ ok: true, text: "before\n\nafter" });
});

it("a slide from outside the presentation is not read", async () => {
  const links = relationships({ id: "rId1", type: "slide", target: "file:///etc/passwd", external: true });
  const slides = makePptx([["x"]], [1], "");
  const changed = makeZip({ ...unzipSync(slides), "ppt/_rels/presentation.xml.rels": links });
  expect(await readInside("a.pptx", changed)).toEqual({
    ok: true,
    format: "PowerPoint presentation",
    text: "",
    left_out: [],
    note: "It has no text.",
  });
});

it("an archive of archives is listed, but neither they nor large files are opened", async () => {
  const inner = makeZip({ "zeros.txt": zeros });
  const read = await readInside("a.zip", makeZip({ "inner.zip": inner, "zeros.txt": zeros }), small);
  expect(read).toMatchObject({
    ok: true,
    text: expect.stringMatching(/^2 files, .*\n- inner\.zip .*\n- zeros\.txt \(3\.0 MB\)$/),
  });
});

it("a file that lies about its size is listed without its text", async () => {
  const lying = withDeclaredSize(makeZip({ "a.txt": "x".repeat(1_000_000), "b.txt": "honest" }), 0, 10);
  const read = await readInside("a.zip", lying);
  expect(read).toMatchObject({
    text: "2 files, 16 B unpacked\n- a.txt (10 B)\n- b.txt (6 B)\n\n--- b.txt ---\nhonest",
  });
});

it("the entries of an archive are read only up to the limit", async () => {
  const many = makeZip(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.txt`, "x"])));
  expect(await readInside("a.zip", many, { entries: 30 })).toMatchObject({
    text: expect.stringMatching(/^30 files/),
    left_out: ["entries after the first 30"],
  });
  expect(await readInside("a.docx", many, { entries: 30 })).toEqual({
    ok: false,
    problem: expect.stringMatching(/more than 30 parts/),
  });
});

it("names with control characters are shown on one line", async () => {
  const read = await readInside(
    "a.zip",
    makeZip({ "a\n--- b ---\u202e.bin": new Uint8Array([0]), "ü.bin": "" }),
  );
  expect(read).toMatchObject({ text: "2 files, 1 B unpacked\n- a\\u000a--- b ---\\u202e.bin (1 B)\n- ü.bin (0 B)" });
});

it("a document that is too large is not read", async () => {
  const read = await readBytes("a.pdf", makePdf(["x"]), { documentBytes: 100 });
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(/^It has 6\d\d B.*up to 100 B/) });
});

it("a reading that took too long says so", async () => {
  const read = await readBytes("a.pdf", makePdf(["x"]), { timeoutMs: 1 });
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(/took longer than 0.001 s/) });
  expect(await tableOf("a,b", { timeoutMs: 1 })).toMatchObject({ ok: false });
});

it("a reading that needed too much memory says so", async () => {
  const read = await readBytes("a.pdf", makePdf(["x"]), { memoryBytes: 60_000_000 });
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(/more than 60 MB of memory/) });
});

it("an aborted reading rejects with the signal's reason and leaves no process behind", async () => {
  const stop = new AbortController();
  const running = readBytes("a.pdf", makePdf(["x"]), {}, stop.signal);
  const alive = () => {
    const lines = spawnSync("ps", ["-axo", "ppid=,command="]).stdout.toString().split("\n");
    return lines.some((line) => line.includes("reader-process") && Number.parseInt(line, 10) === process.pid);
  };
  await expect.poll(alive).toBe(true);
  stop.abort(new Error("stopped by Ann"));
  await expect(running).rejects.toThrow("stopped by Ann");
  expect(alive()).toBe(false);
});

it("the reader reads nothing for an aborted signal", async () => {
  const reason = new Error("too late");
  await expect(readBytes("a.pdf", makePdf(["x"]), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
});

it("a closed file is reported as one that cannot be opened", async () => {
  const read = await createDocumentReader().read(
    { name: "a.pdf", descriptor: 1_000_000 },
    new AbortController().signal,
  );
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(/cannot be opened/) });
});

it.each([
  ["a web page", readBytes, "a.html", ""],
  ["an e-mail", readInside, "a.eml", "Subject: Hi\nContent-Type: text/html\n\n"],
])("a document of unclosed tags is read by its text only: %s", async (_what, reader, name, head) => {
  const read = await reader(name, Buffer.from(`${head}${"<div><b>word ".repeat(80_000)}`));
  expect(read).toMatchObject({ ok: true, text: expect.stringContaining("word word word") });
});
