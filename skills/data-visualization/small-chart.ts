import { type Json, objectOf } from "../../src/core/values/json.ts";
import type { SmallChart } from "../../src/core/values/picture-words.ts";

type Spec = Record<string, Json>;
type Row = Readonly<Record<string, Json>>;

const kinds: Readonly<Record<string, SmallChart["kind"]>> = {
  bar: "bar",
  line: "line",
  area: "area",
  arc: "pie",
};

/** With these, the picture shows more than one value for each category. */
const complex = ["transform", "layer", "facet", "concat", "hconcat", "vconcat", "repeat", "params"];

/** Aggregates that leave a single value as it is. */
const harmless: readonly unknown[] = [undefined, null, "sum", "mean", "average", "median", "min", "max"];

const minCategories = 2;
const maxCategories = 50;

/** The chart as data, if it has one value for each category and series; undefined for every other chart. */
export function smallChart(spec: Spec, rows: readonly Row[]): SmallChart | undefined {
  const kind = kinds[markOf(spec)];
  if (kind === undefined || complex.some((name) => spec[name] !== undefined)) return undefined;
  const encoding = objectOf(spec.encoding ?? null);
  const pie = { category: encoding.color, value: encoding.theta, split: undefined };
  const plain = { category: encoding.x, value: encoding.y, split: encoding.color ?? encoding.xOffset };
  const wanted = kind === "pie" ? pie : plain;
  const category = channelOf(wanted.category);
  const value = channelOf(wanted.value);
  const split = channelOf(wanted.split);
  if (category?.type === "quantitative" || value?.type !== "quantitative") return undefined;
  const table = tableOf(rows, category?.field ?? "", value.field, split?.field);
  if (table === undefined || category === undefined) return undefined;
  const series = [...table.series].map(([name, values]) => ({ name: name || value.title, values }));
  const labels = kind === "pie" ? {} : { x_label: category.title, y_label: value.title };
  return { kind, title: titleOf(spec), categories: table.categories, series, ...labels };
}

/** The chart in words, for people who do not see it. */
export function chartInWords(spec: Spec, rows: readonly Row[]): string {
  const small = smallChart(spec, rows);
  const title = titleOf(spec);
  const count = `${rows.length.toLocaleString("en")} rows`;
  const kind = small?.kind ?? kinds[markOf(spec)];
  const head = `${kind === undefined ? "Chart" : `${kind[0]?.toUpperCase()}${kind.slice(1)} chart`}${title === "" ? "" : `: ${title}`}`;
  const [only] = small?.series ?? [];
  if (small === undefined || only === undefined || small.series.length > 1) return `${head}. ${count}.`;
  const values = small.categories.map((category, at) => `${category} ${only.values[at]}`);
  return `${head}. ${values.join(", ")}.`;
}

function markOf({ mark }: Spec): string {
  const type = typeof mark === "string" ? mark : objectOf(mark ?? null).type;
  return typeof type === "string" ? type : "";
}

function titleOf({ title }: Spec): string {
  const text = typeof title === "string" ? title : objectOf(title ?? null).text;
  return typeof text === "string" ? text : "";
}

/** A channel with a plain field; undefined for anything that changes the values. */
function channelOf(given: Json | undefined): { field: string; type: Json; title: string } | undefined {
  if (given === undefined) return undefined;
  const { field, type = null, aggregate, bin, timeUnit, title, scale, stack, sort } = objectOf(given);
  const isPlain = [bin, timeUnit, stack, objectOf(scale ?? null).type, sort].every(
    (each) => each === undefined || each === null,
  );
  if (typeof field !== "string" || !harmless.includes(aggregate) || !isPlain) return undefined;
  return { field, type, title: typeof title === "string" ? title : field };
}

/** Values by series, in the order of the categories; undefined unless each pair has exactly one finite value. */
function tableOf(rows: readonly Row[], category: string, value: string, split: string | undefined) {
  const text = (each: Json | undefined) => (each === undefined || each === null ? "" : String(each));
  const categories = [...new Set(rows.map((row) => text(row[category])))];
  const names = [...new Set(rows.map((row) => (split === undefined ? "" : text(row[split]))))];
  if (rows.length !== categories.length * names.length) return undefined;
  if (categories.length < minCategories || categories.length > maxCategories || categories.includes(""))
    return undefined;
  const series = new Map(names.map((name): [string, number[]] => [name, []]));
  for (const each of categories)
    for (const name of names) {
      const found = rows.find(
        (row) => text(row[category]) === each && (split === undefined || text(row[split]) === name),
      );
      const number = found?.[value];
      if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
      series.get(name)?.push(number);
    }
  return { categories, series };
}
