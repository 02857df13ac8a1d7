import type { Json } from "../../src/core/values/json.ts";

type ColumnType = "number" | "date" | "boolean" | "text" | "empty";

export interface Column {
  name: string;
  type: ColumnType;
}

const unitBefore = /^([-+]?)\s*([$€£¥₹]|EUR|USD|CHF|GBP)\s*/;
const unitBehind = /(?<!\s)\s*([%‰$€£¥₹]|EUR|USD|CHF|GBP)$/;

type Read = (text: string) => Json | undefined;

/** `1,234.5`, `1'234.5`, `-3`, `(3)`, `12 %`, `$5`, `1e6`. */
const english: Read = (text) =>
  numberFrom(text, /^[-+]?(\d{1,3}([,'’]\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?$/i, (plain) =>
    plain.replace(/[,'’]/g, ""),
  );
/** `1.234,5`, `3,14`, `1 234,5`. */
const continental: Read = (text) =>
  numberFrom(text, /^[-+]?(\d{1,3}([. ]\d{3})+|\d+)?(,\d+)?$/, (plain) =>
    plain.replace(/[. ]/g, "").replace(",", "."),
  );

function numberFrom(text: string, form: RegExp, plain: (text: string) => string): number | undefined {
  const bare = text
    .replace(/[\u00a0\u202f]/g, " ")
    .replace(/^\((.+)\)$/, "-$1")
    .replace("−", "-")
    .replace(unitBefore, "$1")
    .replace(unitBehind, "")
    .trim();
  // A number with a leading zero is a code.
  if (/^0\d/.test(bare)) return undefined;
  if (!/\d/.test(bare) || !form.test(bare)) return undefined;
  const value = Number(plain(bare));
  // Integers beyond the precision of a double are ids.
  if (/^-?\d+$/.test(plain(bare)) && !Number.isSafeInteger(value)) return undefined;
  return Number.isFinite(value) ? value : undefined;
}

const isoDate: Read = (text) => {
  const form = /^\d{4}[-/]\d{2}([-/]\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[-+]\d{2}:?\d{2})?)?$/;
  const iso = text.replace(" ", "T").replaceAll("/", "-");
  return form.test(text) && !Number.isNaN(Date.parse(iso)) ? iso : undefined;
};

/** `5.1.2026`, `05/01/26`, `5-1-2026`, optionally followed by a time; `order` is the order of the first two numbers. */
const writtenDate =
  (order: "day first" | "month first"): Read =>
  (text) => {
    const [, one = "", other = "", year = "", time] =
      /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+(\d{1,2}:\d{2}(?::\d{2})?))?$/.exec(text) ?? [];
    const [day, month] = order === "day first" ? [one, other] : [other, one];
    return dateOf(year, Number(month), day, time);
  };

/** `5 Jan 2026`, `5. Januar 2026`, `January 5, 2026`, `Jan 2026`. */
const namedDate: Read = (text) => {
  const dayFirst = /^(\d{1,2})[.\s-]\s*(\p{L}{3,9})[.\s-]\s*(\d{4}|\d{2})$/u.exec(text);
  const monthFirst = /^(\p{L}{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})$/u.exec(text);
  const [day = "1", name = "", year = ""] =
    dayFirst?.slice(1) ?? (monthFirst ? [monthFirst[2], monthFirst[1], monthFirst[3]] : []);
  return dateOf(year, monthOf(name), day);
};

const months = "jan feb mar|mär apr may|mai jun jul aug sep oct|okt nov dec|dez".split(" ");

function monthOf(name: string): number {
  const start = name.slice(0, 3).toLowerCase();
  return start === "" ? 0 : months.findIndex((each) => each.split("|").includes(start)) + 1;
}

/** An existing day in ISO format; undefined for any other. */
function dateOf(year: string, month: number, day: string, time?: string): string | undefined {
  if (year === "") return undefined;
  const iso = `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  return time === undefined || /^0?0:00(:00)?$/.test(time) ? iso : `${iso}T${time.padStart(5, "0")}`;
}

const boolean: Read = (text) =>
  /^(true|yes|ja)$/i.test(text) ? true : /^(false|no|nein)$/i.test(text) ? false : undefined;

interface Reading {
  type: ColumnType;
  read: Read;
  /** Whether the texts are ambiguous. */
  isDoubtful?: (texts: readonly string[]) => boolean;
}

/** `1.234` can mean little more than one, or more than a thousand. */
const maybeThousands = (texts: readonly string[]) =>
  texts.some((text) => /[.,]/.test(text)) &&
  texts.every((text) => /^[-+]?[1-9]\d{0,2}([.,]\d{3})?$/.test(text));
/** `05/01/2026` can be in January or in May. */
const maybeMonthFirst = (texts: readonly string[]) =>
  texts.every((text) => /^(0?[1-9]|1[0-2])[/-](0?[1-9]|1[0-2])[/-]/.test(text));

const inEnglish: Reading = { type: "number", read: english, isDoubtful: maybeThousands };
const onContinent: Reading = { type: "number", read: continental, isDoubtful: maybeThousands };

/** Readings of a column, in the order in which they are tried. */
const readings = (commas: boolean): readonly Reading[] => [
  { type: "date", read: isoDate },
  ...(commas ? [onContinent, inEnglish] : [inEnglish, onContinent]),
  { type: "date", read: writtenDate("day first"), isDoubtful: maybeMonthFirst },
  { type: "date", read: writtenDate("month first") },
  { type: "date", read: namedDate },
  { type: "boolean", read: boolean },
];

/** Minimum share of a column's values that must have its type; the rest become empty. */
const minShare = 0.9;
const missing =
  /^(|-|–|—|\.{1,3}|n\/?a|k\.?\s?a\.?|null|none|nan|#(n\/a|div\/0!|value!|ref!|name\?|num!|null!))$/i;

export interface ReadColumn {
  type: ColumnType;
  values: Json[];
  /** Number of values of another type, which count as empty. */
  odd: number;
  /** Notes for people on how the column was read. */
  notes: string[];
}

/**
 * The type of a column and its values; values of another type become empty.
 * @param commas whether the decimal separator is probably a comma
 */
export function readColumn(texts: readonly string[], commas = false): ReadColumn {
  const trimmed = texts.map((text) => text.trim());
  const given = trimmed.filter((text) => !missing.test(text));
  if (given.length === 0) return { type: "empty", values: texts.map(() => null), odd: 0, notes: [] };
  let best: { reading: Reading; count: number } | undefined;
  for (const reading of readings(commas)) {
    const count = given.filter((text) => reading.read(text) !== undefined).length;
    if (count > (best?.count ?? 0)) best = { reading, count };
    if (count === given.length) break;
  }
  if (best === undefined || best.count < minShare * given.length)
    return { type: "text", values: trimmed.map((text) => (text === "" ? null : text)), odd: 0, notes: [] };
  const { reading, count } = best;
  const values = trimmed.map((text) => (missing.test(text) ? null : (reading.read(text) ?? null)));
  return { type: reading.type, values, odd: given.length - count, notes: notesOn(given, reading) };
}

function notesOn(given: readonly string[], { type, read, isDoubtful }: Reading): string[] {
  const notes: string[] = [];
  const example = given.find((text) => /\D/.test(text)) ?? "";
  if (isDoubtful?.(given)) notes.push(`“${example}” was read as ${read(example)}`);
  if (type !== "number") return notes;
  const unitOf = (text: string) => unitBehind.exec(text)?.[1] ?? unitBefore.exec(text)?.[2] ?? [];
  const units = [...new Set(given.flatMap(unitOf))];
  return units.length === 0 ? notes : [...notes, `its unit is ${units.slice(0, 5).join(" and ")}`];
}
