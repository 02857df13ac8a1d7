import { describe, expect, it } from "vitest";
import { ChartProblem } from "../../../src/charts/draw-request.ts";
import { drawChart } from "../../../src/charts/inside/draw-chart.ts";
import type { ChartRow } from "../../../src/core/ports/services.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { bar, draw, rows } from "../../support/draw-chart.ts";

describe("a chart", () => {
  it.each<[string, { [key: string]: Json }, readonly ChartRow[], RegExp]>([
    [
      "an unknown field",
      { ...bar, encoding: { x: { field: "kk" } } },
      rows,
      /no "kk".*Its columns: "k", "v"/,
    ],
    ["no mark", { encoding: {} }, rows, /no mark/],
    [
      "data from an address",
      { ...bar, layer: [{ data: { url: "http://x/" }, mark: "bar" }] },
      rows,
      /remove data.url/,
    ],
    [
      "a picture",
      { mark: "image", encoding: { url: { value: "http://x/" } } },
      rows,
      /another mark than image/,
    ],
    [
      "too many marks",
      { mark: "point", encoding: bar.encoding },
      Array.from({ length: 20_001 }, (_, v) => ({ k: "a", v })),
      /20,\d+ marks, 20,000 at most/,
    ],
    ["no rows", bar, [], /no rows/],
    ["text where numbers are needed", bar, [{ k: "a", v: "5k" }], /“5k”.*nominal/],
    [
      "dates that are none",
      { mark: "line", encoding: { x: { field: "k", type: "temporal" }, y: { field: "v" } } },
      [{ k: "soon", v: 1 }],
      /no dates, such as “soon”/,
    ],
    [
      "shares below zero",
      { mark: "arc", encoding: { theta: { field: "v" }, color: { field: "k" } } },
      [...rows, { k: "Mar", v: -3 }],
      /below zero.*draw bars/,
    ],
  ])("a chart says what is wrong: %s", async (_name, spec, given, words) => {
    const drawn = drawChart({ spec, rows: given, width: 400, height: 300 });
    await expect(drawn).rejects.toThrow(words);
    await expect(drawn).rejects.toBeInstanceOf(ChartProblem);
  });

  it("a chart is not drawn where an expression does not parse", async () => {
    const spec = { ...bar, transform: [{ calculate: "datum.v +* 2", as: "w" }] };
    await expect(drawChart({ spec, rows, width: 400, height: 300 })).rejects.toThrow();
  });

  it("a chart is refused by its process with words", async () => {
    const problem = expect.stringContaining("cannot be drawn");
    expect(await draw({ ...bar, mark: "blob" })).toMatchObject({ ok: false, problem });
  });
});
