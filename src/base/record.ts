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
