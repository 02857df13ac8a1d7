import { ExactNumber } from "../../base/exact-number.ts";
import { isContainer } from "../../base/record.ts";
import type { Json } from "./json.ts";

export type Scalar = string | number | ExactNumber | boolean | null;

export function isScalar(value: Json): value is Scalar {
  return !isContainer(value);
}

/** `analysis_type` → `Analysis type`. */
export function label(key: string): string {
  const spaced = key
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .slice(0, 80);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

/** A plain value for a person; numbers to two decimals. */
export function scalar(value: Scalar): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
  if (value instanceof ExactNumber) {
    const isFraction = value.digits.includes(".") && Number.isFinite(value.nearest);
    return isFraction ? scalar(value.nearest) : value.digits;
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "–";
}

const longestCell = 300;

/** A value on one line, as it fits a table cell or a list item. */
export function cell(value: Json): string {
  const text = isScalar(value) ? scalar(value) : JSON.stringify(value);
  const flat = text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return flat.length > longestCell ? `${flat.slice(0, longestCell)}…` : flat;
}
