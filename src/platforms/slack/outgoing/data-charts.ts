import type { types } from "@slack/bolt";
import type { OutgoingFile } from "../../../core/ports/chat-platform.ts";
import type { SmallChart } from "../../../core/values/picture-words.ts";

/**
 * Limits of Slack's own charts (docs.slack.dev/reference/block-kit/blocks/data-visualization-block). That page says six series and
 * segments; other sources say twelve.
 */
const limits = { title: 50, label: 20, series: 6, categories: 20, segments: 6 };

/** Maximum charts of a message. */
const maxCharts = 2;

/** The charts of files that Slack can draw itself, each once; empty unless all of them can be drawn. */
export function drawableCharts(files: readonly OutgoingFile[]): SmallChart[] {
  const charts = files.flatMap(({ chart }) => chart ?? []);
  const unique = [...new Map(charts.map((chart) => [JSON.stringify(chart), chart])).values()];
  return unique.length <= maxCharts && unique.every(fits) ? unique : [];
}

function fits({ kind, title, categories, series, x_label = "", y_label = "" }: SmallChart): boolean {
  const isLabel = (text: string) => text !== "" && text.length <= limits.label;
  const values = series.flatMap((each) => each.values);
  const labels = kind === "pie" ? categories : [...categories, ...series.map(({ name }) => name)];
  const isPie =
    kind !== "pie" || (categories.length <= limits.segments && values.every((value) => value > 0));
  return (
    isPie &&
    title !== "" &&
    [title, x_label, y_label].every((text) => text.length <= limits.title) &&
    labels.every(isLabel) &&
    categories.length <= limits.categories &&
    series.length <= (kind === "pie" ? 1 : limits.series)
  );
}

export function chartBlock({ kind, title, categories, series, x_label, y_label }: SmallChart): types.Block {
  const points = (values: readonly number[]) =>
    categories.map((label, at) => ({ label, value: values[at] ?? 0 }));
  const axis_config = { categories, x_label: x_label || undefined, y_label: y_label || undefined };
  const chart =
    kind === "pie"
      ? { type: kind, segments: points(series[0]?.values ?? []) }
      : {
          type: kind,
          series: series.map(({ name, values }) => ({ name, data: points(values) })),
          axis_config,
        };
  // The SDK (types 3.2) does not know this block yet.
  const block = { type: "data_visualization", title, chart };
  return block;
}

/** The chart for notifications and screen readers. */
export function chartWords({ title, categories, series }: SmallChart): string {
  const lines = series.map(({ name, values }) => {
    const points = categories.map((label, at) => `${label} ${values[at] ?? ""}`);
    return `${series.length === 1 ? title : `${title}, ${name}`}: ${points.join(", ")}`;
  });
  return lines.join("\n");
}
