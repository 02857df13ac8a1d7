import type { Json } from "../values/json.ts";

/** A row of a chart's data. */
export type ChartRow = Readonly<Record<string, Json>>;

/** A chart to be drawn. */
export interface WantedChart {
  /** A Vega-Lite specification without data: https://vega.github.io/vega-lite/docs/spec.html */
  spec: { [key: string]: Json };
  rows: readonly ChartRow[];
  /** Pixels, of a chart that is not made of several. */
  width: number;
  height: number;
}

/** The drawn picture, or why it could not be drawn: in words for a model, with what to change. */
export type Drawn =
  | {
      ok: true;
      /** Twice the pixels that were asked for. */
      png: Uint8Array;
      svg: string;
      /** What is odd about the picture, as sentences. */
      notes: readonly string[];
    }
  | { ok: false; problem: string };

/** Draws without a browser, in a process that dies with its time and memory, and that reaches neither files nor network. */
export interface Charts {
  /** @throws the signal's reason, and nothing else */
  draw(chart: WantedChart, signal: AbortSignal): Promise<Drawn>;
  /**
   * A picture of an SVG with the shipped font. What is active in it or leads elsewhere is taken out, and noted.
   * @param width pixels of the picture, at most 2,000; its own unless given
   * @throws the signal's reason, and nothing else
   */
  picture(svg: string, signal: AbortSignal, width?: number): Promise<Drawn>;
}

const notHere: Drawn = { ok: false, problem: "Nothing can be drawn here." };

/** A bot that draws nothing. */
export const noCharts: Charts = { draw: async () => notHere, picture: async () => notHere };
