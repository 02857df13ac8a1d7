import type { ChartRow } from "../../core/charts.ts";
import type { Json } from "../../core/json.ts";
import { ChartProblem } from "./chart-problem.ts";

type Members = { readonly [key: string]: Json };

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Depth of a specification. */
const deepest = 40;

/** Every object of a specification with the key it stands under. */
function* objectsIn(value: Json, key = "", depth = 0): Generator<{ key: string; members: Members }> {
  if (depth > deepest) throw new ChartProblem("The specification is nested too deeply.");
  if (Array.isArray(value)) {
    for (const each of value) yield* objectsIn(each, key, depth + 1);
  } else if (isMembers(value)) {
    yield { key, members: value };
    for (const [name, each] of Object.entries(value)) yield* objectsIn(each, name, depth + 1);
  }
}

/**
 * What keeps a specification from being drawn here: data or pictures from elsewhere, and fields that no row has.
 * @throws ChartProblem
 */
export function checkSpec(spec: Members, rows: readonly ChartRow[]): void {
  if (
    !["mark", "layer", "facet", "concat", "hconcat", "vconcat", "repeat", "spec"].some((key) => key in spec)
  )
    throw new ChartProblem('The specification has no mark. Give one, e.g. {"mark": "bar", "encoding": {…}}.');
  for (const { key, members } of objectsIn(spec)) {
    if (key === "data" && "url" in members)
      throw new ChartProblem("Data comes with the call, never from an address: remove data.url.");
    const { mark } = members;
    if (mark === "image" || (isMembers(mark) && mark.type === "image"))
      throw new ChartProblem("Pictures cannot be loaded into a chart: use another mark than image.");
  }
  if (rows.length > 0) checkFields(spec, rows);
}

function checkFields(spec: Members, rows: readonly ChartRow[]): void {
  const objects = [...objectsIn(spec)];
  if (objects.some(makesUnknown)) return;
  const columns = new Set(rows.slice(0, 500).flatMap((row) => Object.keys(row)));
  const made = new Set(objects.flatMap(({ members }) => madeBy(members)));
  const used = objects.flatMap(({ members }) => (typeof members.field === "string" ? members.field : []));
  const isKnown = (name: string) => columns.has(name) || made.has(name) || columns.has(plain(name));
  const unknown = [...new Set(used)].filter((name) => !isKnown(name));
  if (unknown.length === 0) return;
  const quoted = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(", ");
  throw new ChartProblem(
    `The data has no ${quoted(unknown)}. Its columns: ${quoted([...columns].slice(0, 60))}. A name with a dot or a bracket is written with a backslash before it.`,
  );
}

/** Whether fields come about that cannot be told from the specification alone. */
function makesUnknown({ key, members }: { key: string; members: Members }): boolean {
  if (key === "data" || key === "datasets" || key === "repeat") return true;
  const { pivot, lookup, aggregate } = members;
  return pivot !== undefined || lookup !== undefined || Array.isArray(aggregate);
}

/** Names of the fields that a transform makes. */
function madeBy({ as, fold }: Members): string[] {
  const named = (Array.isArray(as) ? as : [as]).filter((name) => typeof name === "string");
  return Array.isArray(fold) ? [...named, "key", "value"] : named;
}

/** `a\\.b` and `datum['a']` name the column a.b and a; `a.b` may be a part of the column a. */
function plain(field: string): string {
  const name = field.replace(/\\(.)/g, "$1");
  return name === field ? (field.split(/[.[]/)[0] ?? field) : name;
}

/** What is odd about a chart, before it is drawn. */
export function oddities(spec: Members, rows: readonly ChartRow[]): string[] {
  const { mark } = spec;
  const type = isMembers(mark) ? mark.type : mark;
  const isLine = type === "line" || type === "area" || type === "trail";
  const hasPoints = isMembers(mark) && mark.point !== undefined && mark.point !== false;
  const notes = rows.length === 0 ? ["There are no rows, so the chart is empty."] : [];
  if (isLine && !hasPoints && rows.length === 1)
    notes.push(
      "A line needs two points to be seen; with one row use the mark point or bar, or say the number.",
    );
  return [...notes, ...emptyFields(spec, rows)];
}

function emptyFields(spec: Members, rows: readonly ChartRow[]): string[] {
  const fields = new Set(
    [...objectsIn(spec)].flatMap(({ members }) => (typeof members.field === "string" ? members.field : [])),
  );
  return [...fields].flatMap((field) => {
    const values = rows.map((row) => row[field]).filter((value) => value !== undefined);
    if (values.length === 0 || values.length < rows.length) return [];
    const missing = values.filter((value) => value === null || value === "").length;
    if (missing === values.length) return [`${field} has no values at all.`];
    return missing > 0 ? [`${field} is empty in ${missing} of ${rows.length} rows, which are left out.`] : [];
  });
}
