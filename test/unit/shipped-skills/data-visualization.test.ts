import { describe, expect, it } from "vitest";
import { readColumn } from "../../../skills/data-visualization/guess-types.ts";
import { createCharts } from "../../../src/charts/create-charts.ts";
import type { Charts, WantedChart } from "../../../src/core/ports/services.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { makeXlsx } from "../../support/documents/make-office.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const real = createCharts();
/** Charts as they are, with what was drawn last. */
function watched(charts: Charts = real): Charts & { last?: WantedChart } {
  const own: Charts & { last?: WantedChart } = {
    picture: charts.picture,
    draw(chart, signal) {
      own.last = chart;
      return charts.draw(chart, signal);
    },
  };
  return own;
}
const drawn = { ok: true as const, png: new Uint8Array([1]), svg: "<svg/>", notes: [] };
const blank: Charts = { ...real, draw: async () => drawn };
/** A spreadsheet with one sheet; an empty text is a cell that is not there, as merging leaves it. */
function sheetOf(rows: readonly (readonly (string | number)[])[]): Uint8Array {
  const cell = (value: string | number, at: string) =>
    value === ""
      ? ""
      : typeof value === "number"
        ? `<c r="${at}"><v>${value}</v></c>`
        : `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const lines = rows.map((row, at) => {
    const cells = row.map((value, column) => cell(value, `${"ABCDEFG"[column]}${at + 1}`));
    return `<row r="${at + 1}">${cells.join("")}</row>`;
  });
  return makeXlsx({ Sales: lines.join("") });
}

const spec = (x: string, y: string, mark: Json = "bar") => ({
  title: "Orders per month",
  mark,
  encoding: { x: { field: x }, y: { field: y, type: "quantitative" } },
});

async function chart(
  input: Record<string, Json>,
  attached: Record<string, string | Uint8Array> = {},
  charts: Charts = blank,
) {
  const own = watched(charts);
  const bench = createSkillBench({ attached, documents: createDocumentReader(), means: { charts: own } });
  return { run: await bench.run("data-visualization", input), drawn: own.last, bench };
}

describe("the data-visualization skill", () => {
  it("the data-visualization skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/data-visualization")).toEqual({ valid: true, errors: [] });
  });

  it("the data-visualization skill posts a chart as PNG and SVG", async () => {
    const rows = [
      { month: "Jan", n: 12 },
      { month: "Feb", n: 19 },
    ];
    const { run, bench } = await chart({ spec: spec("month", "n"), rows }, {}, real);
    expect(run).toMatchObject({
      status: "ok",
      steps: ["skill_data-visualization", "read data", "hand over"],
      output: { files: ["orders-per-month.png", "orders-per-month.svg"], rows: 2, notes: [] },
    });
    expect(run.files.map(({ name, media_type }) => [name, media_type])).toEqual([
      ["orders-per-month.png", "image/png"],
      ["orders-per-month.svg", "image/svg+xml"],
    ]);
    const [png] = run.files;
    expect(png && [...(await bench.fileOf(png)).slice(1, 4)]).toEqual([..."PNG"].map((c) => c.charCodeAt(0)));
  });

  it("the data-visualization skill reads a European CSV: semicolons, decimal commas, days first, a byte order mark", async () => {
    const csv =
      "\ufeffDatum;Umsatz;Anteil\n01.02.2026;1.234,50;12 %\n15.02.2026;-3,5;8,5 %\n;;\n28.02.2026;n/a;3 %\n";
    const { run, drawn } = await chart(
      { spec: spec("Datum", "Umsatz"), file: "umsatz.csv" },
      { "umsatz.csv": csv },
    );
    expect(run.output).toMatchObject({
      rows: 3,
      columns: [
        { name: "Datum", type: "date" },
        { name: "Umsatz", type: "number" },
        { name: "Anteil", type: "number" },
      ],
    });
    expect(drawn?.rows).toEqual([
      { Datum: "2026-02-01", Umsatz: 1234.5, Anteil: 12 },
      { Datum: "2026-02-15", Umsatz: -3.5, Anteil: 8.5 },
      { Datum: "2026-02-28", Umsatz: null, Anteil: 3 },
    ]);
  });

  it("the data-visualization skill reads a sheet with merged cells: a two-line head, and names for the rows below", async () => {
    const file = sheetOf([
      ["Region", "2025", "", "2026", ""],
      ["", "Units", "Euro", "Units", "Euro"],
      ["North", 1, 10, 2, 20],
      ["", 3, 30, 4, 40],
      ["South", 5, 50, 6, 60],
    ]);
    const { run, drawn } = await chart(
      { spec: spec("Region", "2026 / Euro"), file: "sales.xlsx" },
      { "sales.xlsx": file },
    );
    expect(drawn?.rows.map((row) => [row.Region, row["2025 / Units"], row["2026 / Euro"]])).toEqual([
      ["North", 1, 20],
      ["North", 3, 40],
      ["South", 5, 60],
    ]);
    expect(run.output).toMatchObject({
      notes: [expect.stringContaining("head has two lines"), expect.stringContaining("filled from above")],
    });
  });

  it("the data-visualization skill says what is ambiguous, what a unit is, and what does not belong to the data", async () => {
    const csv =
      "Report 2026;;\n\nCity;Sales;On;Share\nBerlin;1.234;05/01/2026;5 %\nBonn;950;06/01/2026;6 %\nSumme;2.184;;\n";
    const { run, drawn } = await chart({ spec: spec("City", "Sales"), file: "a.csv" }, { "a.csv": csv });
    expect(drawn?.rows[0]).toEqual({ City: "Berlin", Sales: 1234, On: "2026-01-05", Share: 5 });
    expect(run.output).toMatchObject({
      notes: [
        "Text above the table: Report 2026",
        "The last row is a total (City: Summe): filter it out.",
        "Sales: “1.234” was read as 1234.",
        "On: “05/01/2026” was read as 2026-01-05.",
        "Share: its unit is %.",
      ],
    });
  });

  it("the data-visualization skill takes rows where Vega-Lite has them", async () => {
    const data = { values: [{ a: "x", b: 1 }] };
    const { drawn } = await chart({ spec: { ...spec("a", "b"), data } });
    expect(drawn?.rows).toEqual([{ a: "x", b: 1 }]);
  });

  it("the data-visualization skill hands on what is noted of a chart", async () => {
    const noting = { ...blank, draw: async () => ({ ...drawn, notes: ["A line needs two points."] }) };
    const { run } = await chart({ spec: spec("a", "b", "line"), rows: [{ a: 1, b: 2 }] }, {}, noting);
    expect(run.output).toMatchObject({ notes: ["A line needs two points."] });
  });

  it.each<[string, Record<string, Json>, Record<string, string>, RegExp]>([
    ["neither rows nor file", {}, {}, /no_data/],
    ["both", { rows: [{ a: 1 }], file: "a.csv" }, {}, /no_data/],
    ["a file that is not there", { file: "b.csv" }, { "a.csv": "x,y\n1,2\n" }, /no_such_file.*a\.csv/],
    ["a table without rows", { file: "a.csv" }, { "a.csv": "x,y\n" }, /no_rows/],
    ["JSON that is none", { file: "a.json" }, { "a.json": "{oops" }, /not_json/],
    ["JSON without rows", { file: "a.json" }, { "a.json": "{}" }, /no_rows/],
  ])("the data-visualization skill fails plainly for %s", async (_name, input, attached, words) => {
    const { run } = await chart({ spec: spec("x", "y"), ...input }, attached);
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the data-visualization skill names the columns when a chart cannot be drawn", async () => {
    const refusing = {
      ...blank,
      draw: async () => ({ ok: false as const, problem: 'There is no "total".' }),
    };
    const { run } = await chart(
      { spec: spec("x", "total"), file: "a.csv" },
      { "a.csv": "x,y\na,2\nb,3\n" },
      refusing,
    );
    expect(JSON.stringify(run.output)).toMatch(/no \\"total\\".*Columns: x \(text\), y \(number\)/);
  });

  it("the data-visualization skill reads JSON lines and lists within an object", async () => {
    const lines = await chart(
      { spec: spec("a", "b"), file: "a.jsonl" },
      { "a.jsonl": '{"a":"x","b":1}\n{"a":"y","b":2}\n' },
    );
    const within = await chart(
      { spec: spec("a", "b"), file: "a.json" },
      { "a.json": '{"items":[{"a":"x","b":1}]}' },
    );
    expect([lines.drawn?.rows.length, within.drawn?.rows.length]).toEqual([2, 1]);
  });

  it("the data-visualization skill costs what its example costs", async () => {
    const rows = [12, 19, 7].map((n, at) => ({ month: ["January", "February", "March"][at] ?? "", n }));
    const { bench } = await chart({ spec: spec("month", "n"), rows });
    expect(await bench.cost("data-visualization")).toEqual({
      tools: 140,
      guide: 200,
      calls: 0,
      asked: 0,
      answered: 0,
    });
  });
});

it.each<[string[], string, Json[]]>([
  [["1,234.5", "-3", "$5"], "number", [1234.5, -3, 5]],
  [["1.234,5", "3,14"], "number", [1234.5, 3.14]],
  [["2026-01-02", "2026-01-03 10:30"], "date", ["2026-01-02", "2026-01-03T10:30"]],
  [["13.1.2026", "2.1.2026"], "date", ["2026-01-13", "2026-01-02"]],
  [["01/13/2026", "02/01/2026"], "date", ["2026-01-13", "2026-02-01"]],
  [["ja", "nein", ""], "boolean", [true, false, null]],
  [["a", "1"], "text", ["a", "1"]],
  [["", "n/a"], "empty", [null, null]],
  [["01067", "80331"], "text", ["01067", "80331"]],
  [["1'234.5", "12"], "number", [1234.5, 12]],
  [["(1,234)", "EUR 5", "7 ‰"], "number", [-1234, 5, 7]],
  [["1", "2", "#DIV/0!", "—", "k. A."], "number", [1, 2, null, null, null]],
  [["2026/01/05", "2026/02/06"], "date", ["2026-01-05", "2026-02-06"]],
  [["1.2.26", "13.12.26 10:30"], "date", ["2026-02-01", "2026-12-13T10:30"]],
  [["05-01-2026", "31-01-2026"], "date", ["2026-01-05", "2026-01-31"]],
  [["5. März 2026", "6 Dez 2026"], "date", ["2026-03-05", "2026-12-06"]],
  [["March 5th, 2026", "Apr 2026"], "date", ["2026-03-05", "2026-04-01"]],
  [["30.02.2026"], "text", ["30.02.2026"]],
])("the texts %j are a column of the type %s", (texts, type, values) => {
  expect(readColumn(texts)).toMatchObject({ type, values });
});
