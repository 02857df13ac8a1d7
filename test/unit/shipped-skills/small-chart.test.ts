import { describe, expect, it } from "vitest";
import { chartInWords, smallChart } from "../../../skills/data-visualization/small-chart.ts";
import type { Json } from "../../../src/core/values/json.ts";

const rows = [
  { month: "Jan", orders: 12 },
  { month: "Feb", orders: 19 },
];
const spec = (more: Record<string, Json> = {}) => ({
  title: "Orders",
  mark: "bar",
  encoding: {
    x: { field: "month", type: "nominal", title: "Month" },
    y: { field: "orders", type: "quantitative", aggregate: "sum" },
  },
  ...more,
});

describe("the data of a small chart", () => {
  it("bars with one value for each category are data, in the order of the rows", () => {
    expect(smallChart(spec(), rows)).toEqual({
      kind: "bar",
      title: "Orders",
      categories: ["Jan", "Feb"],
      series: [{ name: "orders", values: [12, 19] }],
      x_label: "Month",
      y_label: "orders",
    });
  });

  it("a pie has its parts, and lines have a series for each colour", () => {
    const encoding = {
      color: { field: "month", type: "nominal" },
      theta: { field: "orders", type: "quantitative" },
    };
    expect(smallChart(spec({ mark: { type: "arc" }, encoding }), rows)?.kind).toBe("pie");
    const split = { ...spec().encoding, color: { field: "city", type: "nominal" } };
    const cities = ["Oslo", "Rome"].flatMap((city) => rows.map((row) => ({ ...row, city })));
    expect(
      smallChart(spec({ mark: "line", encoding: split }), cities)?.series.map(({ name }) => name),
    ).toEqual(["Oslo", "Rome"]);
  });

  it.each([
    ["one point", spec(), rows.slice(0, 1)],
    ["no rows", spec(), []],
    ["two values for a category", spec(), [...rows, ...rows]],
    ["a missing value", spec(), [...rows, { month: "Mar", orders: null }]],
    ["points", spec({ mark: "point" }), rows],
    ["layers", spec({ layer: [] }), rows],
    ["bins", spec({ encoding: { x: { field: "orders", bin: true }, y: { aggregate: "count" } } }), rows],
    ["nothing", {}, []],
  ])("a chart with %s is only a picture", (_, given, data) => {
    expect(smallChart(given as Record<string, Json>, data as Record<string, Json>[])).toBeUndefined();
  });

  it("a chart is described in words, whatever it is", () => {
    expect(chartInWords(spec(), rows)).toBe("Bar chart: Orders. Jan 12, Feb 19.");
    expect(chartInWords({ mark: "point" }, rows)).toBe("Chart. 2 rows.");
  });
});
