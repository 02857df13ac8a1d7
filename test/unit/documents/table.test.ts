import { expect, it } from "vitest";
import { RowCounter, readTable } from "../../../src/documents/inside/read-table.ts";
import { tableOf, withFile } from "../../support/documents/read-bytes.ts";

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

it.each([
  ["commas", "a,b\n1,2\n", ",", ["a", "b"], [["1", "2"]]],
  [
    "semicolons beside decimal commas",
    "a;b\n1,5;2,5\n3;4",
    ";",
    ["a", "b"],
    [
      ["1,5", "2,5"],
      ["3", "4"],
    ],
  ],
  ["tabs", "a\tb\r\n1\t2\r\n", "\t", ["a", "b"], [["1", "2"]]],
  ["bars", "a|b\n1|2", "|", ["a", "b"], [["1", "2"]]],
  [
    "quotes with line breaks, delimiters and quotes",
    'a,b\n"x\n\n,""y""",2\n',
    ",",
    ["a", "b"],
    [['x\n\n,"y"', "2"]],
  ],
  [
    "a quote in a cell",
    'a,b\n5" pipe,2\n3,4',
    ",",
    ["a", "b"],
    [
      ['5" pipe', "2"],
      ["3", "4"],
    ],
  ],
  ["empty lines", "\na,b\n\n\n1,2\n\n", ",", ["a", "b"], [["1", "2"]]],
  [
    "line ends of old Macs",
    "a,b\r1,2\r3,4",
    ",",
    ["a", "b"],
    [
      ["1", "2"],
      ["3", "4"],
    ],
  ],
  ["a byte order mark", "\ufeffa,b\n1,2", ",", ["a", "b"], [["1", "2"]]],
  ["UTF-16", utf16("ä,b\n1,2\n"), ",", ["ä", "b"], [["1", "2"]]],
  ["Windows-1252", Buffer.from("\u00e4,b\n1,2\n", "latin1"), ",", ["ä", "b"], [["1", "2"]]],
  ["one column", "a\n1\n2", ",", ["a"], [["1"], ["2"]]],
  ["a header alone", "a,b", ",", ["a", "b"], []],
])("a table with %s is read", async (_what, content, delimiter, columns, first) => {
  const table = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
  expect(table).toEqual({ columns, rows: first.length, first, delimiter });
});

it("a table's rows are all counted, and the first 20 are kept", async () => {
  const rows = Array.from({ length: 60_000 }, (_, at) => `${at},"some\ntext, ${at}"`);
  const read = await tableOf(`n,text\n${rows.join("\n")}`);
  if (!read.ok) throw new Error(read.problem);
  expect(read.table.rows).toBe(60_000);
  expect(read.table.first).toHaveLength(20);
  expect(read.table.first[19]).toEqual(["19", "some\ntext, 19"]);
});

it("a table's long cells are cut", async () => {
  const content = `a,b\n${"x".repeat(3_000_000)},2\n3,4`;
  const table = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
  expect(table).toMatchObject({ columns: ["a", "b"], rows: 2 });
  expect(JSON.stringify(table).length).toBeLessThan(2_000);
});

it.each([
  ["an empty file", "", /empty/],
  ["a binary file", Buffer.from([1, 2, 3, 0]), /not text/],
])("the reader says why %s is not a table", async (_what, content, problem) => {
  expect(await tableOf(content)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
});

it("a table's rows are counted the same wherever the bytes are cut", () => {
  const bytes = Buffer.from('a,b\r\n"x\n""y""\n",2\r\n\r\n5" pipe,"z"\n"",""\nlast');
  const counts = Array.from({ length: bytes.length }, (_, at) => {
    const counter = new RowCounter(",");
    counter.add(bytes.subarray(0, at));
    counter.add(bytes.subarray(at));
    return counter.rows;
  });
  expect(new Set(counts)).toEqual(new Set([5]));
});
