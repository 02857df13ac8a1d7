/** One line of the benchmark's table. */
export interface Measure {
  name: string;
  ours: number;
  /** What it is compared with; without one the target is a limit of `ours`. */
  baseline?: number;
  /** The same figure elsewhere, for the reader: the target is a limit of `ours`. */
  beside?: number;
  /** Ours against the baseline, or against the target when there is none. */
  ratio: number;
  /** Largest ratio, or largest value of `ours` in `unit`; the smallest where more is better. */
  target: number;
  /** More is better. */
  at_least?: true;
  unit: "ms" | "MB" | "tokens" | "%" | "/s";
  ok: boolean;
}

/** A measure against something else that was measured in the same run. */
export function relative(
  measured: Pick<Measure, "name" | "ours" | "target" | "unit"> & { baseline: number; ratio?: number },
): Measure {
  const { ratio = measured.ours / measured.baseline } = measured;
  return { ...measured, ratio, ok: ratio <= measured.target };
}

/** A measure against a limit. */
export function limited(measured: Pick<Measure, "name" | "ours" | "beside" | "target" | "unit">): Measure {
  const ratio = measured.ours / measured.target;
  return { ...measured, ratio, ok: ratio < 1 };
}

/** A measure that may not be below its target. */
export function atLeast(measured: Pick<Measure, "name" | "ours" | "target" | "unit">): Measure {
  const ratio = measured.ours / measured.target;
  return { ...measured, ratio, at_least: true, ok: ratio >= 1 };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The measures as a table with one row each. */
export function formatTable(measures: readonly Measure[]): string {
  const header = ["measure", "ours", "baseline", "ratio", "target", ""];
  const rows = measures.map(
    ({ name, ours, baseline, beside = baseline, ratio, target, unit, at_least, ok }) => [
      name,
      `${short(ours)} ${unit}`,
      beside === undefined ? "–" : `${short(beside)} ${unit}`,
      ratio.toFixed(2),
      baseline === undefined ? `${at_least ? "≥" : "<"} ${target} ${unit}` : `≤ ${target.toFixed(1)}`,
      ok ? "ok" : "MISSED",
    ],
  );
  const widths = header.map((_, at) => Math.max(...[header, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [header, ...rows].map(line).join("\n");
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
