import type { Json } from "../../src/core/json.ts";

export type ColumnType = "number" | "date" | "boolean" | "text" | "empty";

export interface Column {
  name: string;
  type: ColumnType;
}

type Read = (text: string) => Json | undefined;

/** `1,234.5`, `-3`, `12 %`, `$5`, `1e6`. */
const english: Read = (text) =>
  numberFrom(text, /^[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?$/i, (plain) =>
    plain.replaceAll(",", ""),
  );
/** `1.234,5`, `3,14`, `1 234,5`. */
const continental: Read = (text) =>
  numberFrom(text, /^[-+]?(\d{1,3}([. ]\d{3})+|\d+)?(,\d+)?$/, (plain) =>
    plain.replace(/[. ]/g, "").replace(",", "."),
  );

function numberFrom(text: string, form: RegExp, plain: (text: string) => string): number | undefined {
  const bare = text
    .replace(/[\u00a0\u202f]/g, " ")
    .replace(/^([-+]?)\s*[$€£¥]\s*/, "$1")
    .replace(/\s*(%|[$€£¥]|EUR|USD|CHF|GBP)$/, "")
    .replace("−", "-")
    .trim();
  if (!/\d/.test(bare) || !form.test(bare)) return undefined;
  const value = Number(plain(bare));
  return Number.isFinite(value) ? value : undefined;
}

const isoDate: Read = (text) => {
  const form = /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[-+]\d{2}:?\d{2})?)?$/;
  return form.test(text) && !Number.isNaN(Date.parse(text.replace(" ", "T")))
    ? text.replace(" ", "T")
    : undefined;
};

/** `5.1.2026`, `05/01/2026`, with a time behind it; `order` says what the first two numbers are. */
const writtenDate =
  (order: "day first" | "month first"): Read =>
  (text) => {
    const [, one = "", other = "", year = "", hour = "00", minute = "00"] =
      /^(\d{1,2})[./](\d{1,2})[./](\d{4})(?:,?\s+(\d{1,2}):(\d{2}))?$/.exec(text) ?? [];
    const [day, month] = order === "day first" ? [one, other] : [other, one];
    const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
    const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
    if (year === "" || !isDate) return undefined;
    return hour === "00" && minute === "00" ? iso : `${iso}T${hour.padStart(2, "0")}:${minute}`;
  };

const booleans: Record<string, boolean> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  ja: true,
  nein: false,
};
const boolean: Read = (text) => booleans[text.toLowerCase()];

/** In this order: what all values of a column are. */
const readings: readonly { type: ColumnType; read: Read; note?: string }[] = [
  { type: "date", read: isoDate },
  { type: "number", read: english },
  { type: "number", read: continental },
  { type: "date", read: writtenDate("day first") },
  { type: "date", read: writtenDate("month first") },
  { type: "boolean", read: boolean },
];

/** Share of a column that has to be of a type; the rest becomes empty. */
const most = 0.9;
const missing = /^(|-|–|n\/?a|null|none|nan|#n\/a)$/i;

/** What the texts of a column are, and their values; those that are something else are empty. */
export function readColumn(texts: readonly string[]): { type: ColumnType; values: Json[]; odd: number } {
  const trimmed = texts.map((text) => text.trim());
  const given = trimmed.filter((text) => !missing.test(text));
  if (given.length === 0) return { type: "empty", values: texts.map(() => null), odd: 0 };
  let best: { type: ColumnType; read: Read; count: number } | undefined;
  for (const { type, read } of readings) {
    const count = given.filter((text) => read(text) !== undefined).length;
    if (count > (best?.count ?? 0)) best = { type, read, count };
    if (count === given.length) break;
  }
  if (best === undefined || best.count < most * given.length)
    return { type: "text", values: trimmed.map((text) => (text === "" ? null : text)), odd: 0 };
  const { type, read, count } = best;
  const values = trimmed.map((text) => (missing.test(text) ? null : (read(text) ?? null)));
  return { type, values, odd: given.length - count };
}
