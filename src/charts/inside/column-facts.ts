import { pattern } from "../../base/pattern.ts";
import type { ChartRow } from "../../core/ports/services.ts";

/** What the values of a column are like. */
export interface ColumnFacts {
  kind: "number" | "date" | "text" | "empty";
  /** Its different values as texts, in the order they come in, at most 1,000. */
  names: readonly string[];
  /** Whether no value comes twice. */
  isOnce: boolean;
  /** Whether they are numbers that can be years. */
  isYears: boolean;
  isNegative: boolean;
  /** The largest number, whatever its sign. */
  largest: number;
}

export type FactsOf = (column: string) => ColumnFacts | undefined;

const maxNames = 1_000;
const isoDate = /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}.*)?$/;

/** Looks at each column that is asked for, once. Undefined for one that no row has. */
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
    isOnce: names.size === values.length,
    isYears: isNumber && numbers.every((each) => Number.isInteger(each) && each >= 1900 && each <= 2100),
    isNegative: numbers.some((each) => each < 0),
    largest: numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0),
  };
}

const calendars = [
  ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"],
  ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  ["mo", "di", "mi", "do", "fr", "sa", "so"],
];

/** The order in which people expect names: months and weekdays by the calendar, names of single rows as given, others as people sort. */
export function expectedOrder({ names, isOnce }: ColumnFacts): readonly string[] {
  for (const calendar of calendars) {
    const place = (name: string) => calendar.findIndex((start) => isShortened(name.toLowerCase(), start));
    if (names.length > 1 && names.every((name) => place(name) >= 0))
      return [...names].sort((one, other) => place(one) - place(other));
  }
  if (isOnce) return names;
  return [...names].sort(new Intl.Collator("en", { numeric: true }).compare);
}

/** `Mar`, `Mar.` and `March`, but not `Marketing`. */
function isShortened(name: string, start: string): boolean {
  return pattern("u")`^${start}(\.|[\p{L}]{0,2}|${longEnds})$`.test(name);
}

const longEnds =
  /uary|ruary|rch|il|ust|tember|ober|ember|uar|ruar|z|day|sday|nesday|rsday|urday|ntag|enstag|ttwoch|nnerstag|eitag|mstag|nntag/;
