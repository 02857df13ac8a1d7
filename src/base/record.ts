import { ExactNumber } from "./exact-number.ts";

/** Whether a value is an object or a list. */
export function isContainer(value: unknown): value is readonly unknown[] | Record<string, unknown> {
  return Array.isArray(value) || isRecord(value);
}

/** Whether a value is an object with members, and not a list, null or an exact number. Narrows a `Json` to its objects. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** These members of an object. */
export function pick<T extends object, Name extends keyof T>(object: T, ...names: Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, Name>;
}

/** A copy of a value in which every text, at any depth, is changed. Names of members stay. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]));
}
