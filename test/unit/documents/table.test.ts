import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { RowCounter, readTable } from "../../../src/documents/inside/read-table.ts";
import { tableOf, withFile } from "../../support/documents/read-bytes.ts";
import { needs } from "../../support/needs.ts";

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
  const { table } = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
  const notes = [expect.stringContaining(`sep=${JSON.stringify(delimiter)}, `)];
  expect(table).toEqual({ columns, rows: first.length, first, notes });
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
  const { table } = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
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

/**
 * Runs the calls of notes: `pd.read_csv` with Python's own `csv`, numbers and dates read as the note says. Takes content in base64, call
 * and forms of dates of each table; answers names and rows of each.
 */
const reader = `
import base64, csv, datetime, io, json, sys
class pd:
    def read_csv(path, sep, encoding, header, decimal=".", thousands="", dtype={}, parse_dates=[], skipinitialspace=False, encoding_errors="strict", **_):
        file = io.TextIOWrapper(path, encoding=encoding, errors=encoding_errors, newline="")
        rows = [row for row in csv.reader(file, delimiter=sep, skipinitialspace=skipinitialspace) if row]
        names = list(range(len(rows[0]))) if header is None else rows[header]
        def value(name, cell):
            if name in parse_dates:
                return datetime.datetime.strptime(cell, forms[str(name)]).isoformat()
            try:
                return cell if name in dtype else float(cell.replace(thousands, "").replace(decimal, "."))
            except ValueError:
                return cell
        body = rows[0 if header is None else header + 1:]
        return [names] + [[value(name, cell) for name, cell in zip(names, row)] for row in body]
read = []
for content, call, forms in json.load(sys.stdin):
    path = io.BytesIO(base64.b64decode(content))
    read.append(eval(call))
print(json.dumps(read))
`;

/** Content of a table and its note, as `reader` takes them. */
async function noted(content: string | Buffer) {
  const { table } = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
  const note = (begin: string) =>
    table.notes?.find((each) => each.startsWith(begin))?.slice(begin.length) ?? "";
  const dates = note("dates: ").split(", ");
  const forms = dates.flatMap((date) => [/^"?(.+?)"? (%.*)$/.exec(date)?.slice(1) ?? []]);
  return [
    Buffer.from(content).toString("base64"),
    note("to read it: "),
    Object.fromEntries(forms.filter((form) => form.length > 0)),
  ];
}

const read: [what: string, content: string | Buffer, rows: unknown[][]][] = [
  [
    "of Germany in Windows-1252",
    Buffer.from("größe;placed;sum\nL;31.12.2026;1.234,50\nM;01.02.2026;5,25\n", "latin1"),
    [
      ["größe", "placed", "sum"],
      ["L", "2026-12-31T00:00:00", 1234.5],
      ["M", "2026-02-01T00:00:00", 5.25],
    ],
  ],
  [
    "under a title, with codes",
    "Report of March;;\n\nname;zip;share\nAnn;01234;1,5\nBob;99999;2,5\n",
    [
      ["name", "zip", "share"],
      ["Ann", "01234", 1.5],
      ["Bob", "99999", 2.5],
    ],
  ],
  [
    "of America with blanks, quotes and times",
    'id, when, total\n1, 12/31/2026 1:05 PM, "1,234.50"\n2, 1/2/2026 9:00 AM, 5.00\n',
    [
      ["id", "when", "total"],
      [1, "2026-12-31T13:05:00", "1,234.50"],
      [2, "2026-01-02T09:00:00", 5],
    ],
  ],
  [
    "without names",
    "2026-01-31\tN\t0.5\n2026-02-28\tS\t7\n",
    [
      [0, 1, 2],
      ["2026-01-31T00:00:00", "N", 0.5],
      ["2026-02-28T00:00:00", "S", 7],
    ],
  ],
  [
    "of a spreadsheet's years",
    "\ufeffsep=;\nregion;2025;2026\nN;1'200;2'000.5\n",
    [
      ["region", "2025", "2026"],
      ["N", 1200, 2000.5],
    ],
  ],
  [
    "in UTF-16",
    utf16("a|b\n1|x\n"),
    [
      ["a", "b"],
      [1, "x"],
    ],
  ],
];

it("a program reads a table by its note", needs("python3"), async () => {
  const input = JSON.stringify(await Promise.all(read.map(([, content]) => noted(content))));
  const answers = JSON.parse(execFileSync("python3", ["-c", reader], { encoding: "utf8", input }));
  expect(read.map(([what], at) => [what, answers[at]])).toEqual(read.map(([what, , rows]) => [what, rows]));
});

it.each([
  ["when;v\n03/04/2026;1\n", 'dates: "when" %d/%m/%Y or %m/%d/%Y', "parse_dates"],
  ["a;v\nx;1.234\ny;2.345\n", 'numbers: "1.234" may have thousands or a fraction', "decimal"],
])("a table's note says what is in doubt: %j", async (content, doubt, guess) => {
  const { table } = await withFile("a.csv", content, async ({ descriptor }) => readTable(descriptor));
  expect(table.notes).toEqual([expect.not.stringContaining(guess), doubt]);
});
