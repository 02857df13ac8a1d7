/** A JSON object as it goes over the wire. */
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; anything else is an empty list. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The strings of a list; anything else is an empty list. */
export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The text of a field, or "" if it holds none. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object that a JSON text holds, or null. */
export function parseObject(raw: string): Json | null {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
