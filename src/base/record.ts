/** Whether a value is an object with members: no list, no null. Narrows a `Json` to its objects. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
