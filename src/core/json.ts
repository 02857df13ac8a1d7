/** Any value that survives JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON Schema document (draft 2020-12 unless it says otherwise). */
export type JsonSchema = { [key: string]: Json };

/** The value if it is an object, else an empty one. */
export function objectOf(value: Json | undefined): { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** The JSON text of a value with object keys sorted, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (item === null || typeof item !== "object" || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
