import { createCharts } from "../../src/charts/create-charts.ts";
import type { ChartRow, WantedChart } from "../../src/core/ports/services.ts";
import type { Json } from "../../src/core/values/json.ts";

export const signal = new AbortController().signal;
const charts = createCharts();
/** A bar chart of `rows`. */
export const bar = {
  mark: "bar",
  encoding: { x: { field: "k", type: "nominal" }, y: { field: "v", type: "quantitative" } },
};
export const rows = [
  { k: "Jan", v: 12 },
  { k: "Feb", v: 19 },
];
/** Draws as a skill does, 400 by 300 unless said otherwise. */
export const draw = (
  spec: { [key: string]: Json },
  given: readonly ChartRow[] = rows,
  more: Partial<WantedChart> = {},
) => charts.draw({ spec, rows: given, width: 400, height: 300, ...more }, signal);
