import type { ChartRow } from "../../core/ports/services.ts";
import type { Json } from "../../core/values/json.ts";
import { ChartProblem } from "../draw-request.ts";
import { palette } from "./chart-theme.ts";
import { type ColumnFacts, type FactsOf, isMembers, type Members } from "./complete-spec.ts";

/** Maximum depth of a specification. */
const maxDepth = 40;

/** Every object of a specification with its key. */
function* objectsIn(value: Json, key = "", depth = 0): Generator<{ key: string; members: Members }> {
  if (depth > maxDepth) throw new ChartProblem("The specification is nested too deeply.");
  if (Array.isArray(value)) {
    for (const each of value) yield* objectsIn(each, key, depth + 1);
  } else if (isMembers(value)) {
    yield { key, members: value };
    for (const [name, each] of Object.entries(value)) yield* objectsIn(each, name, depth + 1);
  }
}

/** Rejects a specification that cannot be drawn here: data or pictures from elsewhere, and fields that no row has. @throws ChartProblem */
export function checkSpec(spec: Members, rows: readonly ChartRow[]): void {
  const drawn = ["mark", "layer", "facet", "concat", "hconcat", "vconcat", "repeat", "spec"];
  if (!drawn.some((key) => key in spec))
    throw new ChartProblem('The specification has no mark. Give one, e.g. {"mark": "bar", "encoding": {…}}.');
  for (const { key, members } of objectsIn(spec)) {
    if (key === "data" && "url" in members)
      throw new ChartProblem("Data comes with the call, never from an address: remove data.url.");
    const { mark } = members;
    if (mark === "image" || (isMembers(mark) && mark.type === "image"))
      throw new ChartProblem("Pictures cannot be loaded into a chart: use another mark than image.");
  }
  const hasOwnData = Object.entries(spec).some(([key, part]) => key !== "data" && hasData(part));
  if (rows.length > 0) checkFields(spec, rows);
  else if (!hasOwnData) throw new ChartProblem("There are no rows, so there is nothing to draw. Say so.");
}

function hasData(part: Json): boolean {
  return [...objectsIn(part)].some(({ members }) => "data" in members);
}

function checkFields(spec: Members, rows: readonly ChartRow[]): void {
  const objects = [...objectsIn(spec)];
  if (objects.some(makesUnknown)) return;
  const columns = new Set(rows.slice(0, 500).flatMap((row) => Object.keys(row)));
  const made = new Set(objects.flatMap(({ members }) => madeBy(members)));
  const isKnown = (name: string) => columns.has(name) || made.has(name) || columns.has(plain(name));
  const unknown = fieldsOf(spec).filter((name) => !isKnown(name));
  if (unknown.length === 0) return;
  const quoted = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(", ");
  throw new ChartProblem(
    `The data has no ${quoted(unknown)}. Its columns: ${quoted([...columns].slice(0, 60))}.`,
  );
}

/** Whether there are computed fields that the specification alone does not name. */
function makesUnknown({ key, members }: { key: string; members: Members }): boolean {
  if (key === "data" || key === "datasets" || key === "repeat") return true;
  const { pivot, lookup, aggregate } = members;
  return pivot !== undefined || lookup !== undefined || Array.isArray(aggregate);
}

/** Names of the fields that a transform creates. */
function madeBy({ as, fold }: Members): string[] {
  const named = (Array.isArray(as) ? as : [as]).filter((name) => typeof name === "string");
  return Array.isArray(fold) ? [...named, "key", "value"] : named;
}

/** `a\\.b` and `datum['a']` name the columns a.b and a; `a.b` may be a part of the column a. */
function plain(field: string): string {
  const name = field.replace(/\\(.)/g, "$1");
  return name === field ? (field.split(/[.[]/)[0] ?? field) : name;
}

/** Problems of a chart, found before it is drawn. */
export function oddities(spec: Members, rows: readonly ChartRow[]): string[] {
  const { mark } = spec;
  const type = isMembers(mark) ? mark.type : mark;
  const isDot = rows.length === 1 && (type === "line" || type === "area" || type === "trail");
  const dot = "A line needs two points, and there is one: it is a dot. Say the number instead.";
  return [...(isDot ? [dot] : []), ...emptyFields(spec, rows)];
}

/** The fields that a specification names. */
function fieldsOf(spec: Members): string[] {
  const fields = [...objectsIn(spec)].map(({ members }) => members.field);
  return [...new Set(fields.filter((field) => typeof field === "string"))];
}

function emptyFields(spec: Members, rows: readonly ChartRow[]): string[] {
  return fieldsOf(spec).flatMap((field) => {
    const values = rows.map((row) => row[field]).filter((value) => value !== undefined);
    if (values.length === 0 || values.length < rows.length) return [];
    const missing = values.filter((value) => value === null || value === "").length;
    if (missing === values.length) return [`${field} has no values at all.`];
    return missing > 0 ? [`${field} is empty in ${missing} of ${rows.length} rows, which are left out.`] : [];
  });
}

/** Mismatches between its types and the data, as notes. @throws ChartProblem if nothing, or something wrong, would be shown */
export function checkTypes(spec: Members, facts: FactsOf): string[] {
  const objects = [...objectsIn(spec)];
  const isPie = objects.some(
    ({ key, members }) => members.mark === "arc" || (key === "mark" && members.type === "arc"),
  );
  const notes = objects.flatMap(({ key, members }) => {
    if (typeof members.field !== "string") return [];
    const name = members.field.replace(/\\(.)/g, "$1");
    const known = facts(name);
    if (known === undefined) return [];
    if (isPie && key === "theta") checkShares(name, known, members);
    return [...typeNotes(name, known, members), ...roomNotes(key, name, known, members)];
  });
  return [...new Set(notes)];
}

function checkShares(name: string, { isNegative }: ColumnFacts, { aggregate }: Members): void {
  if (isNegative && aggregate === undefined)
    throw new ChartProblem(`${name} has values below zero, and a pie cannot show them: draw bars.`);
}

const counts = new Set<Json | undefined>(["count", "distinct", "valid", "missing"]);

function typeNotes(name: string, { kind, names }: ColumnFacts, { type, aggregate }: Members): string[] {
  if (kind !== "text" || counts.has(aggregate)) return [];
  if (type !== "quantitative" && type !== "temporal") return [];
  const [what, read] = type === "temporal" ? ["dates", Date.parse] : ["numbers", Number];
  const wrong = names.filter((text) => Number.isNaN(read(text)));
  if (wrong.length === 0) return [];
  const shown = `${name} has values that are no ${what}, such as “${wrong[0]?.slice(0, 60)}”`;
  if (wrong.length === names.length)
    throw new ChartProblem(`${shown}: its type is nominal, or ordinal where it has an order.`);
  return [`${shown}: they are left out.`];
}

/** Names that fit on the axis below a chart, and next to one. */
export const maxNames = { x: 36, y: 80 };

/** The most names of a channel that are shown, or have a colour of their own. */
const spaces: Readonly<Record<string, number>> = { ...maxNames, color: palette.length, fill: palette.length };

function roomNotes(key: string, name: string, { names }: ColumnFacts, { type }: Members): string[] {
  if (type !== "nominal" && type !== "ordinal") return [];
  const most = spaces[key] ?? names.length;
  if (names.length <= most) return [];
  const what =
    key in maxNames ? "too many for the axis: some are not shown" : `and colours repeat after ${most}`;
  return [`${name} has ${names.length} names, ${what}. Draw the largest, or groups.`];
}
