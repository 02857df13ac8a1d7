import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import type { ChartRow, WantedChart } from "../../core/ports/services.ts";
import type { Json } from "../../core/values/json.ts";
import { ChartProblem } from "../draw-request.ts";
import { chartTheme, fontSizes, ground } from "./chart-theme.ts";
import { checkSpec, checkTypes, maxNames, oddities } from "./check-spec.ts";
import { completeSpec, type FactsOf, factsOf, isMembers, type Members } from "./complete-spec.ts";
import { fontFallbacks, fontFamily, textWidth } from "./fonts.ts";

/** Maximum notes that are passed on. */
const maxNotes = 8;
/** Maximum bars, points, corners of lines and words of a chart. */
const maxMarks = 20_000;
/** Maximum rows for which each point of a line is also a dot: a single point would be invisible otherwise. */
const maxDots = 60;
/** Pixels for a name next to an axis, and for a chart whose height is increased for names. */
const nameHeight = 20;
const highest = 1_300;

/** A chart as SVG. No code of a specification is compiled, and nothing is loaded. @throws ChartProblem */
export async function drawChart(chart: WantedChart): Promise<{ svg: string; notes: string[] }> {
  const { rows } = chart;
  checkSpec(chart.spec, rows);
  const facts = factsOf(rows);
  const spec = completeSpec(chart.spec, facts, chart);
  const odd = checkTypes(spec, facts);
  const warnings: string[] = [];
  const logger = loggerInto(warnings);
  measureWithShippedFont();
  const { spec: compiled } = compile(fullSpec({ ...chart, spec }, facts), { logger });
  const runtime = vega.parse(compiled, {}, { ast: true });
  const options = { renderer: "none", expr: expressionInterpreter, loader: refusing, logger } as const;
  const view = new vega.View(runtime, options);
  await view.runAsync();
  checkMarks(view.scenegraph() as unknown as { root: SceneItem });
  const svg = await view.toSVG();
  view.finalize();
  const notes = [...oddities(chart.spec, rows), ...odd, ...cutNames(svg), ...new Set(warnings)];
  return {
    svg: svg.replaceAll(`font-family="${fontFamily}"`, `font-family="${fontFallbacks}"`),
    notes: notes.slice(0, maxNotes),
  };
}

interface SceneItem {
  items?: SceneItem[];
}

function checkMarks({ root }: { root: SceneItem }): void {
  let count = 0;
  const open = [root];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    count += 1;
    for (const each of item.items ?? []) open.push(each);
  }
  const advice = 'Aggregate or bin in the encoding, or draw a sample: "transform": [{"sample": 2000}].';
  const [drawn, most] = [count, maxMarks].map((marks) => marks.toLocaleString("en"));
  if (count > maxMarks)
    throw new ChartProblem(`The chart would have ${drawn} marks, ${most} at most. ${advice}`);
}

function cutNames(svg: string): string[] {
  if (!svg.includes("…</text>")) return [];
  return ["Names that were too long end in …: shorten them, or give names the y axis of horizontal bars."];
}

/** Members of a specification, or channels, that make several charts. */
const composed = ["facet", "row", "column", "concat", "hconcat", "vconcat", "repeat"];

function isComposed(spec: WantedChart["spec"]): boolean {
  const { encoding } = spec;
  const channels = isMembers(encoding) ? Object.keys(encoding) : [];
  return composed.some((key) => key in spec || channels.includes(key));
}

/** The distinct names on an axis or in the legend; none for numbers and dates. */
function namesOn(channel: "x" | "y" | "color", spec: Members, facts: FactsOf): readonly string[] {
  const { encoding, layer } = spec;
  const given = isMembers(encoding) ? encoding[channel] : undefined;
  if (given === undefined && Array.isArray(layer))
    return layer.map((each) => (isMembers(each) ? namesOn(channel, each, facts) : [])).find(isFilled) ?? [];
  if (!isMembers(given) || typeof given.field !== "string") return [];
  if (given.type !== "nominal" && given.type !== "ordinal") return [];
  return facts(given.field.replace(/\\(.)/g, "$1"))?.names ?? [];
}

const isFilled = (names: readonly string[]) => names.length > 0;

/** Names below a chart are horizontal if they fit, and tilted otherwise. */
function labelAngle({ spec, width }: WantedChart, facts: FactsOf): Members {
  const names = namesOn("x", spec, facts);
  if (names.length === 0) return {};
  const widest = Math.max(...names.slice(0, 200).map((name) => textWidth(name, fontSizes.label, false)));
  if ((widest + 3) * names.length < 0.78 * width) return { labelAngle: 0 };
  return { labelAngle: -40, labelLimit: 160, labelOverlap: names.length > maxNames.x };
}

/** The specification with its data, its size and Knack's theme, which it may override. */
function fullSpec(chart: WantedChart, facts: FactsOf): TopLevelSpec {
  const { spec, rows, width } = chart;
  const { config, background, $schema: _, data: __, datasets: ___, usermeta: ____, ...rest } = spec;
  const own = isMembers(config) ? config : {};
  const theme = chartTheme(opaque(background) ?? opaque(own.background) ?? ground);
  const legend = Math.min(namesOn("color", spec, facts).length, 30);
  const named = Math.max(namesOn("y", spec, facts).length, legend);
  const height = Math.min(highest, Math.max(chart.height, named * nameHeight + 130));
  const size = isComposed(spec) ? {} : { width, height, autosize: { type: "fit", contains: "padding" } };
  const cell = "vconcat" in spec ? width - 120 : 220;
  const defaults: Members = {
    ...theme,
    numberFormat: numberFormat(rows, facts),
    view: { ...theme.view, continuousWidth: cell, discreteWidth: cell, continuousHeight: 180 },
    axisXDiscrete: { labelAngle: -40, ...labelAngle(chart, facts) },
    line: { ...theme.line, ...(rows.length <= maxDots ? { point: true } : {}) },
  };
  return {
    ...size,
    ...rest,
    data: { values: withYears(spec, rows, facts) as Json[] },
    config: { ...merged(defaults, own), background: theme.background },
  } as unknown as TopLevelSpec;
}

/** An opaque background, or undefined. */
function opaque(background: Json | undefined): string | undefined {
  if (typeof background !== "string") return undefined;
  const isOpaque = /^(#[\da-f]{3}|#[\da-f]{6}|(?!transparent$|none$)[a-z]+)$/i.test(background);
  return isOpaque ? background : undefined;
}

/** Settings for axes or titles in a specification keep the other defaults of the theme. */
function merged(defaults: Members, own: Members): Members {
  const parts = Object.entries(own).map(([key, part]): [string, Json] => {
    const standing = defaults[key];
    return [key, isMembers(standing) && isMembers(part) ? { ...standing, ...part } : part];
  });
  return { ...defaults, ...Object.fromEntries(parts) };
}

/** Numbers in common notation; very small ones keep their digits. */
function numberFormat(rows: readonly ChartRow[], facts: FactsOf): string {
  const largest = Object.keys(rows[0] ?? {}).flatMap((column) => {
    const known = facts(column);
    return known?.kind === "number" && known.largest > 0 ? known.largest : [];
  });
  return Math.min(...largest) < 0.05 ? ",.10~g" : ",.4~f";
}

/** Years that should be dates are numbers in the data, which Vega would read as milliseconds. */
function withYears(spec: Members, rows: readonly ChartRow[], facts: FactsOf): readonly ChartRow[] {
  const years = new Set<string>();
  const look = (value: Json): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    if (!isMembers(value)) return;
    const { field, type, timeUnit } = value;
    if (typeof field === "string" && (type === "temporal" || timeUnit !== undefined) && facts(field)?.isYears)
      years.add(field);
    for (const each of Object.values(value)) look(each);
  };
  look(spec as Json);
  if (years.size === 0) return rows;
  const asDate = (name: string, value: Json): Json =>
    years.has(name) && value !== null ? `${value}-01-01` : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asDate(name, value)])),
  );
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
      const warning = words.map(String).join(" ").slice(0, 300);
      if (!warning.startsWith("Infinite extent")) warnings.push(warning);
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
  limit?: number;
}

/** Without a canvas Vega only estimates the width of texts; the font knows it. */
function measureWithShippedFont(): void {
  // Vega's typings omit it.
  const { textMetrics: metrics } = vega as unknown as {
    textMetrics: { width(item: TextItem, text?: string): number };
  };
  metrics.width = (item, text) => {
    const { fontSize = 11, fontWeight, limit } = item;
    const isBold = fontWeight === "bold" || Number(fontWeight) >= 600;
    const width = textWidth(String(text ?? item.text ?? ""), fontSize, isBold);
    // Texts are cut there.
    return limit !== undefined && limit > 0 ? Math.min(limit, width) : width;
  };
}
