/** How a program reads a table in text: separator, encoding, row of names, marks of numbers, forms of dates. */
import { pattern } from "../../base/pattern.ts";

/** The beginning of a table, without empty rows. */
export interface Sample {
  rows: readonly (readonly string[])[];
  delimiter: string;
  /** As Python names it. */
  encoding: string;
  /** Whether some bytes are not text in this encoding. */
  isBroken: boolean;
}

export interface Dialect {
  /** The names of the columns (their numbers if no row names them), and the rows below. */
  table: readonly (readonly string[])[];
  /** Number of rows of the sample that are not below the names. */
  above: number;
  /** For readers who write code: what stands above the table, and a call of pandas with all that it has to be told. */
  notes: string[];
}

/** Maximum columns that are examined, and that the call names. */
const maxColumns = 100;
const maxNamed = 20;

export function dialectOf({ rows, delimiter, encoding, isBroken }: Sample): Dialect {
  const at = fullRow(rows);
  // In `a, b` the blank is no part of a name.
  const [, ...behind] = rows[at] ?? [];
  const isSpaced = behind.length > 0 && behind.every((cell) => cell.startsWith(" "));
  const clean = (row: readonly string[]) => (isSpaced ? row.map((cell) => cell.trimStart()) : row);
  const [first = [], ...others] = rows.slice(at).map(clean);
  const isNamed = !isData(first, others);
  const names = isNamed ? first : first.map((_, column) => String(column));
  const body = isNamed ? others : [first, ...others];
  const columns: Column[] = names.slice(0, maxColumns).map((name, column) => {
    const cells = body.map((row) => (row[column] ?? "").trim()).filter((cell) => cell !== "");
    return { name: isNamed ? python(name) : name, cells, forms: formsOf(cells) };
  });
  const { options, doubt } = numbersIn(columns.flatMap(({ cells }) => cells));
  const call = [
    `sep=${python(delimiter)}`,
    `encoding=${python(encoding)}`,
    isBroken && 'encoding_errors="replace"',
    `header=${isNamed ? at : "None"}`,
    !isNamed && at > 0 && `skiprows=${at}`,
    !isSpaced && body.some(({ length }) => length > names.length) && "index_col=False",
    isSpaced && "skipinitialspace=True",
    ...options,
    ...columnOptions(columns),
  ];
  const forms = columns.filter((column) => column.forms.length > 0).slice(0, maxNamed);
  const titles = rows.slice(0, isNamed ? at : 0).map((row) => row.filter(Boolean).join(" "));
  const notes = [
    titles.length > 0 && `above the table: ${titles.join(" / ").slice(0, 300).toWellFormed()}`,
    `to read it: pd.read_csv(path, ${call.filter(Boolean).join(", ")})`,
    forms.length > 0 &&
      `dates: ${forms.map(({ name, forms: all }) => `${name} ${all.join(" or ")}`).join(", ")}`,
    doubt,
  ].filter((note) => typeof note === "string");
  return { table: [names, ...body], above: isNamed ? at + 1 : at, notes };
}

interface Column {
  /** As Python writes it. */
  name: string;
  /** Those that are not empty. */
  cells: readonly string[];
  /** Forms of its dates. */
  forms: readonly string[];
}

/** What the call says of columns by their names: ids that are no numbers, and dates whose form is certain. */
function columnOptions(columns: readonly Column[]): (string | false)[] {
  const certain = columns.filter(({ forms }) => forms.length === 1);
  const isDayFirst = certain.some(({ forms: [form] }) => form?.startsWith("%d"));
  const dates = certain.filter(({ forms: [form] }) => !(isDayFirst && form?.startsWith("%m")));
  const ids = columns.filter(({ cells }) => cells.some(isId));
  const listed = (all: readonly Column[], more = "") =>
    all
      .map(({ name }) => `${name}${more}`)
      .slice(0, maxNamed)
      .join(", ");
  return [
    ids.length > 0 && `dtype={${listed(ids, ": str")}}`,
    dates.length > 0 && `parse_dates=[${listed(dates)}]`,
    isDayFirst && "dayfirst=True",
  ];
}

/** The first row that is about as full as most: titles and remarks above a table have fewer cells. */
function fullRow(rows: Sample["rows"]): number {
  const full = rows.map((row) => row.filter((cell) => cell.trim() !== "").length);
  const usual = full.toSorted((one, other) => one - other)[rows.length >> 1] ?? 0;
  const at = full.findIndex((cells) => cells > 0.6 * usual);
  return Math.max(0, at);
}

/** Whether the first row is data like the rows below it: a name is hardly a date or a number, other than a year. */
function isData(first: readonly string[], others: Sample["rows"]): boolean {
  return first.slice(0, maxColumns).some((named, column) => {
    const cell = named.trim();
    const below = others.map((row) => (row[column] ?? "").trim()).filter((each) => each !== "");
    if (below.length === 0 || /^(?:19|20)\d\d$/.test(cell)) return false;
    return (
      (formsOf([cell, ...below]).length > 0 && formsOf([cell]).length > 0) ||
      (isNumber(cell) && below.every(isNumber))
    );
  });
}

/** Digits that a number would lose: a leading zero, or more than a double holds. */
function isId(cell: string): boolean {
  return /^\d+$/.test(cell) && (/^0\d/.test(cell) || cell.length > 15);
}

/** Ways to write numbers, the simplest first. */
const styles = ["", ",", ".", "'", "’", " ", "\u00a0", "\u202f"].flatMap((thousands) =>
  [".", ","]
    .filter((decimal) => decimal !== thousands)
    .map((decimal) => {
      const digits = thousands === "" ? /\d+/ : pattern()`(?:\d{1,3}(?:${thousands}\d{3})+|\d+)`;
      return { thousands, decimal, form: pattern("i")`^[-+]?${digits}(?:${decimal}\d+)?(?:e[-+]?\d+)?$` };
    }),
);

const isNumber = (cell: string) => styles.some(({ form }) => form.test(cell));

/** The way in which most numbers are written, as arguments of the call, unless it is in doubt. */
function numbersIn(cells: readonly string[]): { options: string[]; doubt?: string } {
  // A sign of a currency is no part of the number.
  const bare = cells.map((cell) => cell.replace(/[\p{Sc}%]/gu, "").trim());
  const counted = styles.map((style) => ({
    ...style,
    count: bare.filter((cell) => style.form.test(cell)).length,
  }));
  const most = Math.max(...counted.map(({ count }) => count));
  const [best, ...equal] = counted.filter(({ count }) => count === most);
  const marked = bare.find((cell) => best?.form.test(cell) && /[^\de+-]/i.test(cell));
  if (best === undefined || marked === undefined) return { options: [] };
  const { decimal, thousands } = best;
  if (equal.some((style) => style.decimal !== decimal && style.form.test(marked)))
    return { options: [], doubt: `numbers: ${python(marked)} may have thousands or a fraction` };
  const grouped = thousands === "" ? [] : [`thousands=${python(thousands)}`];
  // The fast engine takes signs of one byte.
  if (thousands > "~") grouped.push('engine="python"');
  return { options: [`decimal=${python(decimal)}`, ...grouped] };
}

const parts: Readonly<Record<string, RegExp>> = {
  ...{ Y: /\d{4}/, y: /\d{2}/, m: /(?:0?[1-9]|1[0-2])/, d: /(?:0?[1-9]|[12]\d|3[01])/ },
  ...{ b: /[a-z]{3}/, B: /[a-z]{4,9}/ },
};

/** A form of dates in the signs of `strftime`, of three parts and the marks between them. */
function dateForm(names: string, mark: string, other = mark) {
  const [one = "", two = "", three = ""] = names;
  const [first = /^/, second = /^/, third = /^/] = [...names].map((name) => parts[name]);
  const form = pattern("i")`^${first}${mark}${second}${other}${third}$`;
  return { name: `%${one}${mark}%${two}${other}%${three}`, form };
}

/** With points, the day comes before the month; with blanks, the month is a word. */
const dateForms = [
  ...["-", "/"].flatMap((mark) =>
    ["Ymd", "dmY", "dmy", "mdY", "mdy", "dbY", "dby"].map((form) => dateForm(form, mark)),
  ),
  ...["Ymd", "dmY", "dmy"].map((form) => dateForm(form, ".")),
  ...["dbY", "dBY"].map((form) => dateForm(form, " ")),
  ...["bdY", "BdY"].map((form) => dateForm(form, " ", ", ")),
];

/** The forms that all dates of a column have; empty if most of its cells are no dates. */
function formsOf(cells: readonly string[]): string[] {
  const found = cells.map(formsOfDate).filter((forms) => forms.length > 0);
  if (2 * found.length <= cells.length) return [];
  return (found[0] ?? []).filter((form) => found.every((forms) => forms.includes(form)));
}

function formsOfDate(cell: string): string[] {
  const [, date = "", before = "", seconds, fraction, half, zone] =
    /^(.{6,18}?)(?:(,? |T)\d{1,2}:\d\d(:\d\d)?([.,]\d{1,6})?( ?[ap]m)?(Z|[-+]\d\d:?\d\d)?)?$/i.exec(cell) ??
    [];
  const clock = `${half ? "%I" : "%H"}:%M${seconds ? ":%S" : ""}${fraction ? `${fraction[0]}%f` : ""}`;
  const time =
    before === "" ? "" : `${before}${clock}${half ? half.replace(/[ap]m/i, "%p") : ""}${zone ? "%z" : ""}`;
  return dateForms.flatMap(({ name, form }) => (form.test(date) ? [`${name}${time}`] : []));
}

/** A text as a literal of Python. */
function python(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[\u00a0\u202f]/g,
    (blank) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
