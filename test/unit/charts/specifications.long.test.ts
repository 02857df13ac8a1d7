import { describe, expect, it } from "vitest";
import { createCharts } from "../../../src/charts/create-charts.ts";
import { drawChart } from "../../../src/charts/inside/draw-chart.ts";
import type { ChartRow } from "../../../src/core/ports/services.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { bar, draw, rows, signal } from "../../support/draw-chart.ts";
import { lookAt } from "../../support/look-at-png.ts";

/** Draws a harmless chart without a process of its own, and without a picture. */
const drawHere = (spec: { [key: string]: Json }, given = rows as readonly ChartRow[]) =>
  drawChart({ spec, rows: given, width: 400, height: 300 });

/** What a chart says, in the order in which it is drawn; axes come before the title. */
async function textsOf(...given: Parameters<typeof drawHere>): Promise<string[]> {
  const { svg } = await drawHere(...given);
  return [...svg.matchAll(/<t(?:ext|span)\b[^>]*>([^<]+)</g)].map(([, text = ""]) => text);
}

describe("what a specification leaves open", () => {
  const untyped = (x: string, y: string, mark = "bar") => ({
    mark,
    encoding: { x: { field: x }, y: { field: y } },
  });
  it.each<[string, string[], string[]]>([
    ["names of single rows", ["Marketing", "Janitors", "Art"], ["Marketing", "Janitors", "Art"]],
    ["names of several rows", ["Mar", "Jan", "Feb", "Mar"], ["Mar", "Jan", "Feb"]],
  ])("values without a given order are in the order of the rows: %s", async (_name, given, order) => {
    const texts = await textsOf(
      untyped("k", "v"),
      given.map((k, v) => ({ k, v })),
    );
    expect(texts.filter((text) => given.includes(text))).toEqual(order);
  });

  it("columns whose names have path characters are taken by their names", async () => {
    const texts = await textsOf(untyped("Nr.", "Price [€]"), [
      { "Nr.": "one", "Price [€]": 1_000 },
      { "Nr.": "two", "Price [€]": 2_000 },
    ]);
    expect(texts).toEqual(expect.arrayContaining(["one", "two", "2,000", "Nr.", "Price [€]"]));
  });

  it.each(["quantitative", "temporal"])("years are shown as years, even with the type %s", async (type) => {
    const spec = { mark: "line", encoding: { x: { field: "year", type }, y: { field: "v" } } };
    const texts = await textsOf(
      spec,
      [2024, 2025, 2026].map((year) => ({ year, v: year / 7 })),
    );
    expect(texts).toEqual(expect.arrayContaining(["2024", "2025", "2026"]));
  });

  it("a chart lays names flat where they have room, even in layers", async () => {
    const encoding = { x: { field: "k" }, y: { field: "v" } };
    const { svg } = await drawHere({
      layer: [
        { mark: "bar", encoding },
        { mark: "rule", encoding: { y: { datum: 3 } } },
      ],
    });
    expect(svg).toMatch(/translate\([^)]*\)"[^>]*>Jan</);
  });

  it("a chart breaks a title that is wider than the picture", async () => {
    const title = "Orders per month since the beginning of the year in all of the regions where we sell";
    const texts = await textsOf({ ...bar, title });
    expect(texts.join(" ")).toContain(title);
    expect(texts).not.toContain(title);
  });

  it("a chart continues small multiples in the next row", async () => {
    const many = Array.from({ length: 24 }, (_, v) => ({ k: `Region ${v % 12}`, v }));
    const spec = { mark: "bar", encoding: { column: { field: "k" }, y: { field: "v" } } };
    const drawn = await draw(spec, many);
    if (!drawn.ok) throw new Error(drawn.problem);
    const { width, height } = lookAt(drawn.png);
    expect(width).toBeLessThan(2 * height);
  });

  it("a chart is opaque where it was to be transparent, and light on a dark ground", async () => {
    const clear = await drawHere({ ...bar, background: "transparent", config: { background: "#ffffff00" } });
    const dark = await drawHere({
      ...bar,
      title: "Night",
      background: "#1e1e1e",
      config: { axis: { grid: false } },
    });
    expect(clear.svg).toMatch(/<rect width="400" height="300" fill="#fcfbf8"/);
    expect(dark.svg).toMatch(/<rect width="400" height="300" fill="#1e1e1e"/);
    expect(dark.svg).toMatch(/fill="#f2f0ea"[^>]*>Night/);
  });

  it("a chart draws 100,000 rows that are aggregated", async () => {
    const many = Array.from({ length: 100_000 }, (_, v) => ({ k: `c${v % 5}`, v, other: "x".repeat(50) }));
    const encoding = { x: { field: "k" }, y: { field: "v", aggregate: "sum" } };
    expect(await draw({ mark: "bar", encoding }, many)).toMatchObject({ ok: true, notes: [] });
  });

  it("a chart has no links", async () => {
    const encoding = { ...bar.encoding, href: { value: "javascript:alert(1)" } };
    const drawn = await draw({ mark: { type: "bar", href: "http://x/" }, encoding });
    expect(drawn.ok && drawn.svg).not.toMatch(/<a |javascript|http:\/\/x/);
  });
});

describe("a chart", () => {
  it.each<[string, { [key: string]: Json }, readonly ChartRow[], RegExp]>([
    ["a line of one point", { ...bar, mark: "line" }, rows.slice(0, 1), /needs two points/],
    [
      "a field without values",
      bar,
      [
        { k: "a", v: null },
        { k: "b", v: null },
      ],
      /v has no values at all/,
    ],
    [
      "names that are cut",
      { ...bar, encoding: { x: { field: "v" }, y: { field: "k" } } },
      [{ k: "A name that is so long that it has no room beside any chart", v: 1 }],
      /end in …/,
    ],
    [
      "more names than an axis has room for",
      bar,
      Array.from({ length: 200 }, (_, v) => ({ k: `Customer ${v}`, v })),
      /200 names, too many/,
    ],
    [
      "more names than colours",
      { mark: "bar", encoding: { x: { field: "v" }, color: { field: "k" } } },
      Array.from({ length: 17 }, (_, v) => ({ k: `Customer ${v}`, v })),
      /repeat after 16/,
    ],
  ])("a chart notes what is odd: %s", async (_name, spec, given, words) => {
    const { notes } = await drawHere(spec, given);
    expect(notes).toEqual(expect.arrayContaining([expect.stringMatching(words)]));
  });

  it("a chart notes what is odd: signs the font has not", async () => {
    const drawn = await draw({ ...bar, title: "漢" });
    expect(drawn).toMatchObject({
      ok: true,
      notes: expect.arrayContaining([expect.stringContaining("font has no 漢")]),
    });
  });
});

describe("a hostile specification", () => {
  const fast = createCharts({ timeoutMs: 2_000, memoryBytes: 500_000_000 });
  it.each<[string, { [key: string]: Json }]>([
    [
      "makes rows without end",
      { ...bar, layer: [{ data: { sequence: { start: 0, stop: 1e12 } }, mark: "point" }] },
    ],
    ["makes a picture without end", { ...bar, width: 1e6, height: 1e6 }],
    ["is nested without end", { ...bar, ...nested(200) }],
  ])("a hostile specification costs its limits and nothing else: %s", async (_name, spec) => {
    const drawn = await fast.draw({ spec, rows, width: 400, height: 300 }, signal);
    expect(drawn.ok).toBe(false);
  });

  it("a hostile specification reaches no code: expressions are interpreted [text-2]", async () => {
    const calculate = "constructor.constructor('return process')().pid";
    const drawn = await draw({ ...bar, transform: [{ calculate, as: "w" }] });
    expect(drawn.ok).toBe(false);
  });

  it("a hostile specification leads nowhere by the colours of its marks", async () => {
    const drawn = await draw({ ...bar, mark: { type: "bar", color: "url(http://elsewhere.example/a)" } });
    if (!drawn.ok) throw new Error(drawn.problem);
    expect(drawn.svg).not.toContain("elsewhere.example");
    expect(drawn.svg).toContain(">Jan<");
    expect(drawn.notes.join(" ")).toContain("Taken out: fill");
  });

  it("drawing ends with its asker's signal", async () => {
    const stop = new AbortController();
    const drawing = fast.draw({ spec: bar, rows, width: 400, height: 300 }, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(drawing).rejects.toThrow("stopped");
  });
});

function nested(depth: number): { [key: string]: Json } {
  let spec: { [key: string]: Json } = bar;
  for (let at = 0; at < depth; at += 1) spec = { vconcat: [spec] };
  return spec;
}
