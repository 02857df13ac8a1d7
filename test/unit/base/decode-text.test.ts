import { expect, it } from "vitest";
import { decodeText, findEncoding, guessNote } from "../../../src/base/decode-text.ts";

/** `TextEncoder` writes UTF-8 alone: the bytes of a text in an encoding of one or two bytes for a character. */
function encoded(text: string, label: string): Uint8Array {
  const codes = new Map<string, number[]>();
  for (let lead = 0x80; lead <= 0xff; lead += 1) {
    for (const bytes of [[lead], ...Array.from({ length: 0xc0 }, (_, at) => [lead, 0x40 + at])]) {
      const read = new TextDecoder(label).decode(Uint8Array.from(bytes));
      if ([...read].length === 1 && !codes.has(read)) codes.set(read, bytes);
    }
  }
  return Uint8Array.from(
    [...text].flatMap((each) => (each < "\x80" ? each.charCodeAt(0) : (codes.get(each) ?? [0]))),
  );
}

it.each([
  ["GBK", "gbk", "姓名,部门,金额\n张伟,销售部门,10\n"],
  ["GBK", "gbk", "会议纪要"],
  ["Big5", "big5", "姓名,部門,金額\n張偉,銷售部門,10\n"],
  ["Shift_JIS", "shift_jis", "名前,部署\n田中,営業部\n"],
  ["Shift_JIS", "shift_jis", "テスト"],
  ["EUC-JP", "euc-jp", "会議の議事録です。ご確認ください。"],
  ["EUC-KR", "euc-kr", "이름,부서\n김철수,영업부\n"],
  ["Windows-1251", "windows-1251", "Имя,Отдел\nИван,Продажи\n"],
  ["KOI8-R", "koi8-r", "Привет, как дела? Отчёт за ноябрь готов."],
  ["Windows-1252", "windows-1252", "Name;Größe\nMüller;12\n"],
  ["Windows-1252", "windows-1252", "café"],
  ["Windows-1250", "windows-1250", "Příliš žluťoučký kůň"],
  ["Windows-1253", "windows-1253", "Καλημέρα κόσμε"],
  ["Windows-1254", "windows-1254", "Şirket;Çalışan\nİstanbul;Işık\n"],
  ["Windows-1256", "windows-1256", "مرحبا بالعالم"],
  ["Windows-874", "windows-874", "ชื่อ,แผนก\nสมชาย,ฝ่ายขาย\n"],
  ["Mac Roman", "macintosh", "Name;Größe\nMüller;Straße\n"],
  ["Mac Roman", "macintosh", "Le café est prêt, déjà."],
])("text in %s is read, as a guess", (encoding, label, text) => {
  const read = decodeText(encoded(text, label));
  expect(read).toMatchObject({ text, encoding, guessed: true });
  expect(guessNote(read ?? { encoding: "", guessed: false })).toContain(
    `read as ${encoding}, which is a guess`,
  );
});

it.each([
  ["UTF-8", Buffer.from("Größe – 姓名"), "Größe – 姓名"],
  ["UTF-16", Buffer.from("\ufeffGröße", "utf16le"), "Größe"],
  ["UTF-8 with a byte order mark", Buffer.from("\ufeffGröße"), "Größe"],
  ["nothing", Buffer.alloc(0), ""],
])("text is read with certainty: %s", (_, bytes, text) => {
  expect(decodeText(bytes)).toMatchObject({ text, guessed: false });
});

it("UTF-16 without a byte order mark is read, whatever its byte order", () => {
  const little = Buffer.from("姓名,Größe\n", "utf16le");
  for (const bytes of [little, Buffer.from(little).swap16()])
    expect(decodeText(bytes)).toMatchObject({ text: "姓名,Größe\n", encoding: "UTF-16" });
});

it("a broken byte does not turn UTF-8 into another encoding", () => {
  const bytes = Buffer.from("Größe – Straße, 姓名");
  bytes[2] = 0xff;
  expect(decodeText(bytes)).toMatchObject({ encoding: "UTF-8", guessed: false });
  expect(decodeText(bytes)?.text).toMatch(/^Gr\ufffd+ße – Straße, 姓名$/);
});

it("a character may be cut at the end of a text's beginning, and only there", () => {
  const start = Buffer.from("aé").subarray(0, 2);
  expect(findEncoding(start, true)).toMatchObject({ label: "utf-8", guessed: false });
  expect(findEncoding(start)).toMatchObject({ guessed: true });
});

it("bytes that are not text are not text in any encoding", () => {
  for (const hex of ["89504e470d0a1a0a0000", "0001020304", "00000000", "504b0304000000ff"])
    expect(decodeText(Buffer.from(hex, "hex"))).toBeUndefined();
});
