import { pattern } from "../../base/pattern.ts";
import type { ChartRow } from "../../core/ports/services.ts";
import type { Json } from "../../core/values/json.ts";
import { fontSizes } from "./chart-theme.ts";
import { wrapped } from "./fonts.ts";

export type Members = { readonly [key: string]: Json };

export const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Pixels. */
interface Size {
  width: number;
  height: number;
}

/** Channels whose names have an order. */
const sorted = new Set("x y color fill stroke shape xOffset yOffset row column facet".split(" "));
/** Channels that make small multiples. */
const multiples = new Set(["row", "column", "facet"]);
/** Channels that take a field as it is. */
const untyped = new Set("x2 y2 theta2 radius2 detail tooltip key description order".split(" "));
/** Members of any part of a specification that name columns. */
const naming = new Set(["field", "groupby", "fold", "flatten", "fields"]);
/** Maximum small multiples in a row. */
const columns = 3;

/** A specification whose omitted parts are filled in from the data: types, orders, line breaks of titles. Links are removed. */
export function completeSpec(spec: Members, facts: FactsOf, size: Size): Members {
  const inner = { width: size.width - 40, height: size.height - 110 };
  const completed = walked(spec, facts, inner) as Members;
  const { title } = completed;
  return title === undefined ? completed : { ...completed, title: brokenTitle(title, inner.width) };
}

function walked(value: Json, facts: FactsOf, size: Size): Json {
  if (Array.isArray(value)) return value.map((each) => walked(each, facts, size));
  if (!isMembers(value)) return value;
  const parts = Object.entries(value).flatMap(([key, part]): [string, Json][] => {
    if (key === "href" || key === "url") return [];
    if (key === "data" || key === "datasets") return [[key, part]];
    if (naming.has(key) && isNames(part)) return [[key, escaped(part, facts)]];
    if (key === "encoding" && isMembers(part)) return [[key, encodingOf(part, markOf(value), facts, size)]];
    return [[key, walked(part, facts, size)]];
  });
  return inRows(Object.fromEntries(parts));
}

const isNames = (value: Json): value is string | string[] =>
  typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));

/** Characters that make a name a path. */
const special = /[.[\]'"\\]/;

/** `a.b` and `Price [€]` are names of columns, not paths into them. */
function escaped(names: string | string[], facts: FactsOf): Json {
  const one = (name: string) =>
    special.test(name) && facts(name) !== undefined ? name.replace(pattern("g")`${special}`, "\\$&") : name;
  return typeof names === "string" ? one(names) : names.map(one);
}

/** Small multiples continue in the next row, so that the picture does not grow without limit. */
function inRows(members: Members): Members {
  if ("columns" in members) return members;
  if (isMembers(members.facet) && "field" in members.facet) return { ...members, columns };
  if (Array.isArray(members.concat) || Array.isArray(members.repeat)) return { ...members, columns: 2 };
  return members;
}

function markOf({ mark }: Members): Json | undefined {
  return isMembers(mark) ? mark.type : mark;
}

function encodingOf(encoding: Members, mark: Json | undefined, facts: FactsOf, size: Size) {
  const completed = Object.entries(encoding)
    .filter(([channel]) => channel !== "href" && channel !== "url")
    .map(([channel, given]): [string, Json] => {
      if (!isMembers(given)) return [channel, walked(given, facts, size)];
      const known = typeof given.field === "string" ? facts(given.field) : undefined;
      const whole = known === undefined ? given : channelOf(channel, given, known, mark);
      const room = channel === "y" ? size.height : 0.75 * size.width;
      const parts = walked(whole, facts, size) as Members;
      return [channel, channel === "x" || channel === "y" ? withBrokenTitle(parts, room) : parts];
    });
  const channels = Object.fromEntries(completed);
  const { column, row, ...others } = channels;
  const names = isMembers(encoding.column) ? facts(String(encoding.column.field))?.names : undefined;
  const isWide = isMembers(column) && column.sort === null && (names?.length ?? 0) > columns;
  return isWide && row === undefined ? { ...others, facet: { columns, ...column } } : channels;
}

function channelOf(channel: string, given: Members, known: ColumnFacts, mark: Json | undefined): Members {
  const titled = { ...titleFor(given), ...given };
  return { ...titled, ...typedChannel(channel, titled, known, mark) };
}

/** Vega-Lite would show the backslashes of an escaped name. */
function titleFor({ field, aggregate, title, axis, legend, header }: Members): Members {
  const hasOwn = [axis, legend, header].some((part) => isMembers(part) && part.title !== undefined);
  if (title !== undefined || hasOwn || typeof field !== "string" || !special.test(field)) return {};
  const what = typeof aggregate === "string" ? `${aggregate[0]?.toUpperCase()}${aggregate.slice(1)} of ` : "";
  return { title: `${what}${field}` };
}

function typedChannel(channel: string, given: Members, known: ColumnFacts, mark: Json | undefined): Members {
  const isDerived = given.aggregate !== undefined || given.bin !== undefined || given.timeUnit !== undefined;
  if (isDerived || untyped.has(channel)) return given;
  const type = given.type ?? (multiples.has(channel) ? "nominal" : typeFor(known));
  const typed = { ...given, type };
  if (channel === "facet" && given.columns === undefined)
    return { columns, ...typed, ...orderFor(typed, known) };
  const isNamed = type === "nominal" || type === "ordinal";
  if (isNamed && sorted.has(channel)) return { ...typed, ...orderFor(typed, known) };
  if (type === "temporal" && mark === "bar" && (channel === "x" || channel === "y"))
    return { ...typed, ...unitFor(given, known) };
  return type === "quantitative" && channel === "x" && known.isYears ? withYearAxis(typed) : typed;
}

/** Years have no thousands separator, and no ticks between them. */
function withYearAxis(given: Members): Members {
  const { axis } = given;
  if (axis === null) return given;
  return { ...given, axis: { format: "d", tickMinStep: 1, ...(isMembers(axis) ? axis : {}) } };
}

function typeFor({ kind }: ColumnFacts): string {
  return kind === "number" ? "quantitative" : kind === "date" ? "temporal" : "nominal";
}

/** Names are in the order of the rows, where Vega-Lite would sort them. */
function orderFor({ sort, type }: Members, { kind }: ColumnFacts): Members {
  const isFree = sort === undefined && kind === "text" && (type === "nominal" || type === "ordinal");
  return isFree ? { sort: null } : {};
}

/** Bars over dates are as wide as their day, month or year. */
function unitFor({ title, field }: Members, { kind, names }: ColumnFacts): Members {
  if (kind !== "date" || names.some((name) => name.length > 10)) return {};
  const isEach = (end: RegExp) => names.every((name) => end.test(name));
  const isMonthly = isEach(/^\d{4}-\d{2}(-01)?$/);
  const timeUnit = isEach(/^\d{4}-01(-01)?$/) ? "year" : isMonthly ? "yearmonth" : "yearmonthdate";
  return { timeUnit, title: title === undefined ? (field ?? null) : title };
}

function withBrokenTitle(given: Members, room: number): Members {
  const axis = isMembers(given.axis) && typeof given.axis.title === "string" ? given.axis : undefined;
  const lines = (text: string) => wrapped(text, room, fontSizes.axisTitle, false);
  return {
    ...given,
    ...(typeof given.title === "string" ? { title: lines(given.title) } : {}),
    ...(axis === undefined ? {} : { axis: { ...axis, title: lines(String(axis.title)) } }),
  };
}

function brokenTitle(title: Json, width: number): Json {
  if (typeof title === "string") return wrapped(title, width, fontSizes.title, true);
  if (!isMembers(title)) return title;
  const { text, subtitle } = title;
  const lines = (part: Json | undefined, size: number, isBold: boolean) =>
    typeof part === "string" ? wrapped(part, width, size, isBold) : part;
  const [main, below] = [lines(text, fontSizes.title, true), lines(subtitle, fontSizes.subtitle, false)];
  return { ...title, ...(main && { text: main }), ...(below && { subtitle: below }) };
}

/** The kind of values in a column. */
export interface ColumnFacts {
  kind: "number" | "date" | "text" | "empty";
  /** Its distinct values as texts, in the order of the rows, at most 1,000. */
  names: readonly string[];
  /** Whether they are numbers that can be years. */
  isYears: boolean;
  isNegative: boolean;
  /** The largest absolute number. */
  largest: number;
}

export type FactsOf = (column: string) => ColumnFacts | undefined;

const maxNames = 1_000;
const isoDate = /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}.*)?$/;

/** Examines each requested column once. Undefined for one that no row has. */
export function factsOf(rows: readonly ChartRow[]): FactsOf {
  const known = new Map<string, ColumnFacts | undefined>();
  return (column) => {
    if (!known.has(column)) known.set(column, lookAt(column, rows));
    return known.get(column);
  };
}

function lookAt(column: string, rows: readonly ChartRow[]): ColumnFacts | undefined {
  if (!rows.some((row) => Object.hasOwn(row, column))) return undefined;
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null && value !== "");
  const numbers = values.filter((value) => typeof value === "number");
  const isNumber = values.length > 0 && numbers.length === values.length;
  const isDate = values.length > 0 && values.every((value) => isoDate.test(String(value)));
  const names = new Set<string>();
  for (const value of values) {
    names.add(String(value));
    if (names.size === maxNames) break;
  }
  return {
    kind: values.length === 0 ? "empty" : isNumber ? "number" : isDate ? "date" : "text",
    names: [...names],
    isYears: isNumber && numbers.every((each) => Number.isInteger(each) && each >= 1900 && each <= 2100),
    isNegative: numbers.some((each) => each < 0),
    largest: numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0),
  };
}
