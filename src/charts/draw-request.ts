import type { WantedChart } from "../core/ports/services.ts";

export type DrawLimits = typeof defaultLimits;

/** Limits for drawing one picture. */
export const defaultLimits = {
  /** From the start of the process to its answer, ms. */
  timeoutMs: 30_000,
  /** Resident memory of the process, bytes. */
  memoryBytes: 1_200_000_000,
  /** Maximum rows of a chart. */
  rows: 200_000,
  /** Maximum characters of a specification or an SVG. */
  characters: 500_000,
};

/** The request to the process, one line of JSON on its input. */
export type DrawRequest = { memoryBytes: number } & (
  | ({ kind: "chart" } & WantedChart)
  | { kind: "svg"; svg: string; width?: number | undefined }
);

/** Its answer; the picture in base64. */
export type DrawAnswer =
  | { ok: true; png: string; svg: string; notes: string[] }
  | { ok: false; problem: string };

/** Why something is not drawn, in words for a model. */
export class ChartProblem extends Error {}
