import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import {
  makeDocx,
  makeOpenDocument,
  makePptx,
  makeXlsx,
  makeZip,
  sheetRow,
} from "../../support/documents/make-office.ts";
import { makeAsianPdf, makePdf, pdfOf, stream } from "../../support/documents/make-pdf.ts";
import { readInside } from "../../support/documents/read-bytes.ts";
import { tarOf, tgzOf, zipOf } from "../packages/build-archives.ts";

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

it("a PDF is read page by page, with the pages that have no text", async () => {
  expect(await readInside("report.pdf", makePdf(["First page", "", "Last page"]))).toEqual({
    ok: true,
    format: "PDF",
    text: "--- page 1 ---\nFirst page\n\n--- page 2 ---\n\n--- page 3 ---\nLast page",
    pages: 3,
    left_out: ["page 2 without text"],
  });
});

it.each([
  ["blank pages", ""],
  ["a picture", "q BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"],
  ["letters without a meaning", "BT /F1 24 Tf 72 700 Td <0001> Tj ET"],
])("a PDF without any text says what to send instead: %s", async (_what, drawing) => {
  const pdf = pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /No-Such-Map /DescendantFonts [6 0 R] >>",
    stream(drawing),
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
  ]);
  expect(await readInside("a.pdf", pdf)).toMatchObject({
    text: "",
    note: expect.stringContaining("Send pictures of the pages, or a PDF with text."),
  });
});

it("the values of a PDF's form and its comments are read", async () => {
  const field = (entries: string) =>
    `<< /Type /Annot /Subtype /Widget /Rect [72 600 200 620] /F 4 ${entries} >>`;
  const states = (on: string) => `/AP << /N << /${on} 20 0 R /Off 20 0 R >> >>`;
  const annotations = [
    field("/FT /Tx /T (name) /TU (Full name) /V (Ann Lee)"),
    field("/FT /Tx /T (empty)"),
    field("/FT /Tx /T (secret) /Ff 8192 /V (hunter2)"),
    field("/FT /Ch /T (fruit) /Ff 2097152 /Opt [(apple) (pear)] /V [(apple) (pear)]"),
    field(`/FT /Btn /T (agreed) /V /Yes /AS /Yes ${states("Yes")}`),
    field(`/FT /Btn /T (news) /V /Off /AS /Off ${states("Yes")}`),
    field(`/FT /Btn /T (size) /Ff 32768 /V /big /AS /big ${states("big")}`),
    field(`/FT /Btn /T (size) /Ff 32768 /V /big /AS /Off ${states("small")}`),
    field("/FT /Btn /T (Send) /Ff 65536 /V (x)"),
    "<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /F 4 /Contents (Wrong sum) /T (Bob) >>",
  ];
  const pdf = pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${annotations.map((_, at) => `${at + 6} 0 R`).join(" ")}] >> >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [${annotations.map((_, at) => `${at + 6} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    stream("BT /F1 24 Tf 72 700 Td (Form) Tj ET"),
    ...annotations,
    ...Array.from({ length: 15 - annotations.length }, () =>
      stream("", "/Type /XObject /Subtype /Form /BBox [0 0 1 1]"),
    ),
  ]);
  const lines = [
    "Comment by Bob: Wrong sum",
    "Full name: Ann Lee",
    "fruit: apple, pear",
    "agreed: checked",
    "news: not checked",
    "size: big",
  ];
  expect(await readInside("form.pdf", pdf)).toMatchObject({
    text: `--- page 1 ---\nForm\n${lines.join("\n")}`,
  });
});

it.each([
  ["UniGB-UCS2-H", "GB1", "4e2d65876587672c", "中文文本"],
  ["GBK-EUC-H", "GB1", "d6d0cec4", "中文"],
  ["90ms-RKSJ-V", "Japan1", "93fa967b8cea", "日本語"],
  ["ETen-B5-H", "CNS1", "a4a4a4e5", "中文"],
  ["KSCms-UHC-H", "Korea1", "c7d1b1db", "한글"],
])(
  "a PDF whose font is not embedded is read by its character map: %s",
  async (encoding, ordering, codes, words) => {
    expect(await readInside("a.pdf", makeAsianPdf(encoding, ordering, codes))).toEqual({
      ok: true,
      format: "PDF",
      text: `--- page 1 ---\n${words}`,
      pages: 1,
      left_out: [],
    });
  },
);

it("a Word document is read as Markdown, with headings, lists of cells and without pictures", async () => {
  const heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>';
  const row = (...cells: string[]) =>
    `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`;
  const styles =
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>';
  const document = makeDocx(
    `${heading}${paragraph("We &amp; you")}<w:tbl>${row("who", "when")}${row("Ann", "May")}</w:tbl>`,
    { "word/styles.xml": styles },
  );
  expect(await readInside("plan.docx", document)).toEqual({
    ok: true,
    format: "Word document",
    text: "# Plan\n\nWe & you\n\n| who | when |\n| --- | --- |\n| Ann | May |",
    left_out: [],
  });
});

it("a Word document's headers and comments are read, with their authors and places", async () => {
  const word = (inner: string) =>
    `<w:x xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${inner}</w:x>`;
  const body = `<w:p><w:r><w:t>We pay </w:t></w:r><w:commentRangeStart w:id="7"/><w:r><w:t>the price</w:t></w:r><w:commentRangeEnd w:id="7"/><w:r><w:commentReference w:id="7"/></w:r><w:r><w:t> soon.</w:t></w:r></w:p>`;
  const document = makeDocx(body, {
    "word/comments.xml": word(
      `<w:comment w:id="7" w:author="Ann">${paragraph("Too")}${paragraph("high")}</w:comment>`,
    ),
    "word/header1.xml": word(paragraph("Draft")),
    "word/header2.xml": word(paragraph("Draft")),
    "word/media/image1.png": new Uint8Array([1]),
  });
  expect(await readInside("c.docx", document)).toMatchObject({
    text: "We pay the price[\\[Ann 1\\]](#comment-7) soon.\n\nComment \\[Ann 1\\]\n\nToo\n\nhigh [↑](#comment-ref-7)\n\nHeader: Draft",
    left_out: ["pictures"],
  });
});

const attachment =
  "--b\nContent-Type: text/plain\n\nhello\n--b\nContent-Disposition: attachment; filename=a.pdf\n\nx\n--b--";
it.each<[name: string, content: string | Uint8Array, leftOut: string[]]>([
  ["nothing.docx", makeDocx(paragraph("a")), []],
  [
    "a.docx",
    makeDocx(paragraph("a"), { "word/charts/chart1.xml": "<c/>", "word/vbaProject.bin": "x" }),
    ["charts", "macros"],
  ],
  ["b.docx", makeDocx(paragraph("a"), { "word/afchunk.mht": "x" }), ["the part word/afchunk.mht"]],
  [
    "a.xlsx",
    makeXlsx({ S: sheetRow(1, "a") }, { "xl/comments1.xml": "<c/>", "xl/theme/theme1.xml": "<t/>" }),
    ["comments"],
  ],
  ["a.pptx", makePptx([["a"]], [1], "n"), []],
  ["b.pptx", makeZip({ ...unzipSync(makePptx([["a"]], [1], "n")), "ppt/media/a.mp4": "x" }), ["pictures"]],
  ["a.odt", makeOpenDocument("text", "<text:p>a</text:p>", { "Pictures/a.png": "x" }), ["pictures"]],
  ["a.pdf", makePdf(["a"], "", ["<< /Type /XObject /Subtype /Image >>"]), ["pictures"]],
  ["a.html", "<p>a</p><img src=x><input value=y>", ["pictures", "form fields"]],
  ["a.eml", `Subject: Hi\nContent-Type: multipart/mixed; boundary=b\n\n${attachment}`, ["1 attachment"]],
  ["a.zip", makeZip({ "a.txt": "all" }), []],
  ["b.docx", makeDocx(paragraph("a\ufffd")), ["characters that cannot be decoded"]],
])("what a text lacks of its document is told: %s", async (name, content, left_out) => {
  expect(await readInside(name, content)).toMatchObject({ ok: true, left_out });
});

it("every sheet of a spreadsheet is read as CSV and as a table", async () => {
  const rows = Array.from({ length: 30 }, (_, at) => sheetRow(at + 2, `item, ${at}`, at / 2)).join("");
  const read = await readInside(
    "stock.xlsx",
    makeXlsx({ Stock: sheetRow(1, "name", "price") + rows, Empty: "", More: sheetRow(3, "only") }),
  );
  if (!read.ok || !("text" in read)) throw new Error("not read");
  expect(read.text.split("\n").slice(0, 3)).toEqual(["--- Stock ---", "name,price", '"item, 0",0']);
  expect(read.tables).toMatchObject([
    { name: "Stock", columns: ["name", "price"], rows: 30 },
    { name: "More", columns: ["only"], rows: 0, first: [] },
  ]);
  expect(read.tables?.[0]?.first).toHaveLength(20);
  expect(read.tables?.[0]?.first[3]).toEqual(["item, 3", "1.5"]);
});

it("dates of a spreadsheet are read as dates", async () => {
  const styles =
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>';
  const sheet = '<row r="1"><c r="A1" s="1"><v>45000</v></c><c r="B1" s="1"><v>45000.5</v></c></row>';
  const book = makeXlsx(
    { S: sheet },
    {
      "xl/styles.xml": styles,
      "xl/_rels/workbook.xml.rels":
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    },
  );
  expect(await readInside("d.xlsx", book)).toMatchObject({
    text: "--- S ---\n2023-03-15,2023-03-15 12:00:00",
  });
});

it("a spreadsheet keeps the digits of ids, and its fractions are read as doubles", async () => {
  const sheet = ["1175013331821920257", "0.10000000000000001", "1.5E3"].map(
    (value, at) => `<c r="${"ABC"[at]}1"><v>${value}</v></c>`,
  );
  expect(await readInside("ids.xlsx", makeXlsx({ S: `<row r="1">${sheet.join("")}</row>` }))).toMatchObject({
    text: "--- S ---\n1175013331821920257,0.1,1500",
  });
});

it("formulas, errors and cells without a value are shown; empty rows are not", async () => {
  const cell = (place: string, value: string, more = "") => `<c r="${place}"${more}>${value}</c>`;
  const row = (at: number) =>
    `<row r="${at}">${cell(`A${at}`, "<v>2</v>")}${cell(`B${at}`, `<f>A${at}*$A$1&lt;9</f><v>1</v>`)}${cell(`C${at}`, `<f>SUM(A${at}:B${at})</f><v></v>`)}</row>`;
  const shared = `${cell("A9", '<f t="shared" ref="A9:B9" si="0">A1+1</f><v>3</v>')}${cell("B9", '<f t="shared" si="0"/><v>2</v>')}`;
  const error = cell("C9", "<f>A1/0</f><v>#DIV/0!</v>", ' t="e"');
  const empty = '<row r="5" s="1"/><row r="6"></row><row><c r="A7" s="3"/></row>';
  const rows = `${row(2)}${row(3)}${empty}<row r="9">${shared}${error}</row><row r="999999999"/>`;
  const notes = [
    "B2: =A2*$A$1<9, down to B3",
    "C2: =SUM(A2:B2), down to C3, not computed",
    "A9: =A1+1, alike in 2 cells up to B9",
    "C9: =A1/0",
    "error #DIV/0! in C9",
  ];
  expect(await readInside("f.xlsx", makeXlsx({ S: rows }))).toMatchObject({
    text: `--- S ---\n2,1,not computed\n2,1,not computed\n3,2,#DIV/0!\n--- formulas of S ---\n${notes.join("\n")}`,
    tables: [{ name: "S", rows: 2, notes }],
  });
});

it("formulas of OpenDocument sheets are shown", async () => {
  const cell = (formula: string, value: string) =>
    `<table:table-cell${formula && ` table:formula="of:=${formula}"`}><text:p>${value}</text:p></table:table-cell>`;
  const row = (at: number, sum: string) =>
    `<table:table-row>${cell("", "1")}${cell(`[.A${at}]+[$T.A${at}]`, sum)}</table:table-row>`;
  const book = makeOpenDocument(
    "spreadsheet",
    `<table:table table:name="S">${row(1, "2")}${row(2, "")}${row(3, "Err:502")}</table:table>`,
  );
  expect(await readInside("s.ods", book)).toMatchObject({
    text: expect.stringContaining("1,2\n1,not computed\n1,Err:502"),
    tables: [{ notes: ["B1: =A1+$T.A1, down to B3, 1 of them not computed", "error Err:502 in B3"] }],
  });
});

it("slides are read in the order they are shown, with the speaker's notes", async () => {
  const slides = makePptx([["Welcome", "all"], ["Opening"]], [2, 1], "Smile");
  expect(await readInside("talk.pptx", slides)).toMatchObject({
    ok: true,
    format: "PowerPoint presentation",
    text: "--- slide 1 ---\nOpening\n\n--- slide 2 ---\nWelcome\nall\nNotes: Smile",
  });
});

it("OpenDocument text is read with headings, lists, spaces and tables, without comments", async () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const content = `<text:h text:outline-level="2">Plan</text:h>
    <text:p>a<text:s text:c="2"/>b<office:annotation><text:p>hidden</text:p></office:annotation></text:p>
    <text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>
    <table:table table:name="T"><table:table-row>${cell("x")}${cell("y")}</table:table-row></table:table>`;
  expect(await readInside("plan.odt", makeOpenDocument("text", content))).toEqual({
    ok: true,
    format: "OpenDocument text",
    text: "## Plan\na  b\n- first\n| x | y |",
    left_out: ["comments"],
  });
});

it("OpenDocument sheets are read with repeated rows, but without the million empty ones", async () => {
  const cell = (text: string, times = 1) =>
    `<table:table-cell table:number-columns-repeated="${times}">${text === "" ? "" : `<text:p>${text}</text:p>`}</table:table-cell>`;
  const row = (cells: string, times = 1) =>
    `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
  const sheet = `${row(cell("n") + cell("v") + cell("", 16_382))}${row(cell("x", 2), 3)}${row(cell("", 16_384), 1_048_572)}`;
  const book = makeOpenDocument("spreadsheet", `<table:table table:name="S">${sheet}</table:table>`);
  expect(await readInside("s.ods", book)).toMatchObject({
    ok: true,
    text: "--- S ---\nn,v\nx,x\nx,x\nx,x",
    tables: [{ name: "S", columns: ["n", "v"], rows: 3 }],
  });
});

it("OpenDocument slides are read", async () => {
  const slides = "<draw:page><text:p>One</text:p></draw:page><draw:page><text:p>Two</text:p></draw:page>";
  expect(await readInside("t.odp", makeOpenDocument("presentation", slides))).toMatchObject({
    text: "--- slide 1 ---\nOne\n\n--- slide 2 ---\nTwo",
  });
});

it("an HTML file is read as Markdown, without scripts and hidden parts", async () => {
  const html =
    '<title>News</title><body><h2>Today</h2><p>All <b>good</b><img src="http://127.0.0.1:9/x.png"></p><p hidden>no</p><script>no()</script></body>';
  expect(await readInside("news.html", html)).toMatchObject({
    ok: true,
    format: "web page",
    text: "# News\n\n## Today\n\nAll **good**",
  });
});

it("an e-mail is read with headers, text, and its attachments by name and size", async () => {
  const mail = [
    "From: Ann <ann@example.org>",
    "To: bob@example.org, cee@example.org",
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
    "Date: Mon, 01 Jan 2024 10:00:00 +0000",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/html",
    "",
    "<p>Hello <i>Bob</i></p>",
    "--b",
    'Content-Type: application/pdf; name="a.pdf"',
    'Content-Disposition: attachment; filename="a.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "JVBERi0=",
    "--b--",
  ];
  expect(await readInside("hello.eml", mail.join("\r\n"))).toMatchObject({
    ok: true,
    format: "e-mail",
    text: [
      "From: Ann <ann@example.org>",
      "To: bob@example.org, cee@example.org",
      "Date: 2024-01-01T10:00:00.000Z",
      "Subject: Grüße",
      "",
      "Hello *Bob*",
      "",
      "Attachments, not read:",
      "- a.pdf (application/pdf, 5 B)",
    ].join("\n"),
  });
});

it("a ZIP archive is listed, and its small text files are shown", async () => {
  const zip = makeZip({
    "src/a.txt": "hello",
    "data.bin": new Uint8Array([0, 1, 2]),
    "long.txt": "x".repeat(300_000),
  });
  expect(await readInside("all.zip", zip)).toEqual({
    ok: true,
    format: "ZIP archive",
    text: "3 files, 300 kB unpacked\n- src/a.txt (5 B)\n- data.bin (3 B)\n- long.txt (300 kB)\n\n--- src/a.txt ---\nhello",
    left_out: ["the content of 2 files"],
  });
});

it("names of a ZIP archive of macOS, which does not say that they are UTF-8, are read", async () => {
  const zip = zipOf([{ name: "größe.txt", data: "hello", flags: 0 }]);
  expect(await readInside("all.zip", zip)).toMatchObject({
    text: expect.stringContaining("- größe.txt (5 B)"),
  });
});

it.each(["all.tar", "all.tgz", "all.tar.gz"])(
  "the archive %s is listed, and its small text files are shown",
  async (name) => {
    const files = [{ name: "a.txt", data: "hello" }];
    expect(await readInside(name, name.endsWith("gz") ? tgzOf(files) : tarOf(files))).toMatchObject({
      ok: true,
      format: "tar archive",
      text: "1 file, 5 B unpacked\n- a.txt (5 B)\n\n--- a.txt ---\nhello",
    });
  },
);

it("a document's text is cut at the limit and says so", async () => {
  expect(await readInside("a.docx", makeDocx(paragraph("abcdefgh")), { textCharacters: 5 })).toMatchObject({
    text: "abcde",
    left_out: ["all after the first 5 characters"],
  });
});

it("a document's invisible characters are left out", async () => {
  const hidden = "a\u200bb\u{e0041}c\u202ed";
  expect(await readInside("a.docx", makeDocx(paragraph(hidden)))).toMatchObject({ text: "abcd" });
});
