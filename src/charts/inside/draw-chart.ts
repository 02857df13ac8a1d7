import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import type { WantedChart } from "../../core/charts.ts";
import type { Json } from "../../core/json.ts";
import { ChartProblem } from "./chart-problem.ts";
import { chartTheme } from "./chart-theme.ts";
import { checkSpec, oddities } from "./check-spec.ts";
import { fontFallbacks, fontFamily, textWidth } from "./fonts.ts";

/** Notes that are passed on. */
const mostNotes = 8;

/** A chart as SVG. No code of a specification is compiled, and nothing is loaded. @throws ChartProblem */
export async function drawChart(chart: WantedChart): Promise<{ svg: string; notes: string[] }> {
  const { rows } = chart;
  checkSpec(chart.spec, rows);
  const warnings: string[] = [];
  const logger = loggerInto(warnings);
  const { spec } = compile(fullSpec(chart), { logger });
  measureWithShippedFont();
  const runtime = vega.parse(spec, {}, { ast: true });
  const view = new vega.View(runtime, {
    renderer: "none",
    expr: expressionInterpreter,
    loader: refusing,
    logger,
  });
  const svg = await view.toSVG();
  view.finalize();
  const notes = [...oddities(chart.spec, rows), ...new Set(warnings)].slice(0, mostNotes);
  return { svg: svg.replaceAll(`font-family="${fontFamily}"`, `font-family="${fontFallbacks}"`), notes };
}

const composed = ["facet", "concat", "hconcat", "vconcat", "repeat"];

function isComposed(spec: WantedChart["spec"]): boolean {
  const { encoding } = spec;
  const channels = typeof encoding === "object" && encoding !== null ? Object.keys(encoding) : [];
  return (
    composed.some((key) => key in spec) || channels.some((key) => ["row", "column", "facet"].includes(key))
  );
}

/** Names under a chart lie flat where they have room, and are tilted where they have not. */
function labelAngle({ spec, rows, width }: WantedChart): { labelAngle: number } | undefined {
  const { encoding } = spec;
  if (typeof encoding !== "object" || encoding === null || Array.isArray(encoding)) return undefined;
  const { x } = encoding;
  if (typeof x !== "object" || x === null || Array.isArray(x)) return undefined;
  if ((x.type !== "nominal" && x.type !== "ordinal") || typeof x.field !== "string") return undefined;
  const { field } = x;
  const names = new Set(rows.map((row) => String(row[field] ?? "")));
  const widest = Math.max(...[...names].slice(0, 200).map((name) => textWidth(name, 11, false)), 0);
  return { labelAngle: (widest + 8) * names.size < 0.8 * width ? 0 : -40 };
}

/** The specification with its data, its size and our theme, which it may override. */
function fullSpec(chart: WantedChart): TopLevelSpec {
  const { spec, rows, width, height } = chart;
  const { config, $schema: _, data: __, datasets: ___, usermeta: ____, ...rest } = spec;
  const size = isComposed(spec) ? {} : { width, height, autosize: { type: "fit", contains: "padding" } };
  const theme = { ...chartTheme, view: { ...chartTheme.view, continuousWidth: 300, continuousHeight: 220 } };
  const own = typeof config === "object" && config !== null && !Array.isArray(config) ? config : {};
  return {
    ...size,
    ...rest,
    data: { values: rows as Json[] },
    config: { ...theme, axisX: { ...chartTheme.axisX, ...labelAngle(chart) }, ...own },
  } as unknown as TopLevelSpec;
}

const refuse = () => Promise.reject(new ChartProblem("Nothing is loaded into a chart."));
const refusing = { load: refuse, sanitize: refuse, http: refuse, file: refuse } as unknown as vega.Loader;

function loggerInto(warnings: string[]): vega.LoggerInterface {
  const logger: vega.LoggerInterface = {
    level: ((level?: number) => (level === undefined ? 2 : logger)) as vega.LoggerInterface["level"],
    error: (...words: readonly unknown[]) => {
      throw words.find((word) => word instanceof Error) ?? new ChartProblem(words.map(String).join(" "));
    },
    warn: (...words: readonly unknown[]) => {
      warnings.push(words.map(String).join(" ").slice(0, 300));
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

interface TextItem {
  text?: unknown;
  fontSize?: number;
  fontWeight?: string | number;
}

/** Without a canvas Vega guesses how wide texts are; the font knows. */
function measureWithShippedFont(): void {
  // Its typings leave it out.
  const { textMetrics: metrics } = vega as unknown as {
    textMetrics: { width(item: TextItem, text?: string): number };
  };
  metrics.width = (item, text) => {
    const { fontSize = 11, fontWeight } = item;
    const isBold = fontWeight === "bold" || Number(fontWeight) >= 600;
    return textWidth(String(text ?? item.text ?? ""), fontSize, isBold);
  };
}
