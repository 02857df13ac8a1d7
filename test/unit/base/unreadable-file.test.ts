import { expect, it } from "vitest";
import { readContent, whyUnreadable } from "../../../src/base/file-kind.ts";

const ole = Buffer.from("d0cf11e0a1b11ae1", "hex");
const box = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}`, "latin1");
const text = (start: string) => Buffer.from(start, "latin1");

it.each<[string, Uint8Array, RegExp]>([
  ["budget.xlsx", ole, /protected with a password; remove it/],
  [
    "budget",
    Buffer.concat([ole, Buffer.alloc(3_000), Buffer.from("EncryptedPackage", "utf16le")]),
    /password/,
  ],
  ["report.xls", ole, /Excel spreadsheet of Office 2003 or older; save it as \.xlsx/],
  ["letter.doc", ole, /Word document of Office 2003 or older; save it as \.docx/],
  ["slides.PPT", ole, /PowerPoint presentation of Office 2003 or older; save it as \.pptx/],
  ["mail.msg", ole, /Outlook message/],
  ["x.rar", text("Rar!\x1a\x07\0"), /RAR archive; pack it as \.zip/],
  ["x.7z", text("7z\xbc\xaf'\x1c"), /7z archive/],
  ["photo.heic", box("heic"), /HEIC picture.*send it as JPEG or PNG/],
  ["photo.heif", box("mif1"), /HEIC picture/],
  ["photo.avif", box("avif"), /AVIF picture.*JPEG or PNG/],
  ["scan.tiff", text("II*\0"), /TIFF picture/],
  ["clip.mp4", box("isom"), /a video/],
  ["song.m4a", box("M4A "), /sound recording/],
  ["song.mp3", text("ID3\x03"), /sound recording/],
  ["letter.rtf", text("{\\rtf1 hello}"), /RTF file; save it as/],
  ["plan.pages", text("PK\x03\x04\0"), /Pages document; export it/],
  ["sums.numbers", text("PK\x03\x04\0"), /Numbers spreadsheet; export it/],
  ["logo.eps", text("%!PS-Adobe-3.0 EPSF-3.0\n"), /PostScript drawing; save it as PDF or PNG/],
  ["scan.jp2", text("\0\0\0\x0cjP  \r\n"), /JPEG 2000 picture/],
  ["plan.dwg", text("AC1027\0\0"), /AutoCAD drawing; save it as PDF/],
  ["rows.parquet", text("PAR1\x15\0"), /Parquet table; export it as CSV/],
  ["setup.exe", text("MZ\x90\0"), /Windows program/],
  ["tool", text("\x7fELF\x02"), /a program/],
  ["data.db", text("SQLite format 3\0"), /SQLite database/],
])("the file %s is called what it is, with what to send instead", (name, head, problem) => {
  expect(whyUnreadable(name, head)).toMatch(problem);
  expect(readContent(name, "application/octet-stream", head)).toMatchObject({ kind: "unreadable" });
});

it.each(["MZ is a plot in a text", "BM 7 is here", "PK is a word", "AC100 is a cooler", "PAR1", "plain"])(
  "text that begins with %j is text",
  (said) => {
    expect(readContent("a.txt", "text/plain", text(said))).toEqual({ kind: "text", text: said });
  },
);

it("text in an older encoding is read with a note, and without a telling name only where it is surely text", () => {
  const gbk = Buffer.from("d0d5c3fb2cb2bfc3c50ad5c5ceb02ccffacadbb2bfc3c50a", "hex");
  const read = { kind: "text", text: "姓名,部门\n张伟,销售部门\n", note: expect.stringContaining("GBK") };
  expect(readContent("a.csv", "text/csv", gbk)).toEqual(read);
  expect(readContent("a", "application/octet-stream", gbk)).toEqual(read);
  const noise = Buffer.from("ff80ff90ffaaff8d", "hex");
  expect(readContent("a", "application/octet-stream", noise)).toMatchObject({ kind: "unreadable" });
});
