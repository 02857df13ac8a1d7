import type { Json } from "./json.ts";

/** A row of a chart's data. */
export type ChartRow = Readonly<Record<string, Json>>;

/** A chart to be drawn. */
export interface WantedChart {
  /** A Vega-Lite specification (version 6) without data: https://vega.github.io/vega-lite/docs/spec.html */
  spec: { [key: string]: Json };
  rows: readonly ChartRow[];
  /** Pixels, of the whole picture. */
  width: number;
  height: number;
}

/** The drawn chart, or why it could not be drawn: in words for a model, with what to change. */
export type DrawnChart =
  | {
      ok: true;
      /** Twice the pixels that were asked for. */
      png: Uint8Array;
      svg: string;
      /** What is odd about the picture, as sentences: a field without values, marks that could not be placed. */
      notes: readonly string[];
    }
  | { ok: false; problem: string };

/** Draws charts without a browser, in a process that dies with its time and memory, and that reaches neither files nor network. */
export interface Charts {
  /** @throws the signal's reason, and nothing else */
  draw(chart: WantedChart, signal: AbortSignal): Promise<DrawnChart>;
}

/** A bot that draws nothing. */
export const noCharts: Charts = {
  draw: async () => ({ ok: false, problem: "Charts cannot be drawn here." }),
};
