import { describe, expect, it } from "vitest";
import { shapeAnswer } from "../../../../../src/app/chat/present/shape-answer.ts";

const limits = { message_characters: 500, edit_interval_ms: 1, file_bytes: 100_000 };
const text = (data: Uint8Array | undefined) => new TextDecoder().decode(data);

describe("the shape of an answer", () => {
  it("an answer's large table is attached as CSV that spreadsheets do not take for formulas", () => {
    const rows = Array.from({ length: 40 }, (_, index) => `| name ${index} | =1+${index} | a "b", c |`);
    const { parts, files } = shapeAnswer(
      `Here:\n\n| name | sum | note |\n|---|---|---|\n${rows.join("\n")}\n\nThat is all.`,
      [],
      { ...limits, message_characters: 2_000 },
    );
    expect(parts).toHaveLength(1);
    expect(parts[0]).toContain("name 9 ");
    expect(parts[0]).not.toContain("name 10 ");
    expect(parts[0]).toContain("10 of 40 rows; the whole table is in `table.csv`");
    expect(parts[0]).toMatch(/That is all\.$/);
    expect(files.map((file) => file.name)).toEqual(["table.csv"]);
    expect(text(files[0]?.data).split("\r\n").slice(0, 2)).toEqual([
      "name,sum,note",
      `name 0,'=1+0,"a ""b"", c"`,
    ]);
    expect(text(files[0]?.data).split("\r\n")).toHaveLength(42);
  });

  it("a very long answer shows its beginning and attaches the whole", () => {
    const long = Array.from({ length: 100 }, (_, index) => `Paragraph ${index} says a few words.`).join(
      "\n\n",
    );
    const { parts, files } = shapeAnswer(long, [], limits);
    expect(parts.length).toBeLessThanOrEqual(4);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(500);
    expect(parts.at(-1)).toContain("`answer.md`");
    expect(text(files[0]?.data)).toBe(long);
  });

  it("an answer of four messages is shown whole, and attachments get free names", () => {
    const four = Array.from({ length: 4 }, () => "word ".repeat(90).trim()).join("\n\n");
    expect(shapeAnswer(four, [], limits)).toMatchObject({ parts: { length: 4 }, files: [] });
    const mine = { name: "answer.md", media_type: "text/markdown", data: new Uint8Array() };
    const { files, parts } = shapeAnswer(`${four}\n\n${four}`, [mine], limits);
    expect(files.map((file) => file.name)).toEqual(["answer.md", "answer-2.md"]);
    expect(parts.at(-1)).toContain("`answer-2.md`");
  });

  it("an answer says so when the whole is too large to be attached", () => {
    const { files, parts } = shapeAnswer("word ".repeat(2_000), [], { ...limits, file_bytes: 1_000 });
    expect(files).toEqual([]);
    expect(parts.at(-1)).toContain("The console has all of it");
  });
});
