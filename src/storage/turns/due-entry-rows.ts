import type { DueEntry } from "../../core/ports/schedules.ts";
import type { Json } from "../../core/values/json.ts";

/** Maximum characters of the JSON of one entry. */
const maxValue = 100_000;

/** Default number of entries in a list. */
export const defaultDueEntries = 1_000;

/** The columns that `dueEntryOf` reads. */
export const dueEntryColumns = "id, namespace, shown_in, kind, due_at, value";

/** The entry of a row with `dueEntryColumns`; `parse` reads stored JSON. */
export function dueEntryOf(row: Record<string, unknown>, parse: (text: unknown) => unknown): DueEntry {
  const { id, namespace, shown_in, kind, due_at, value } = row;
  return {
    id: String(id),
    namespace: String(namespace),
    ...(shown_in === null ? {} : { shown_in: String(shown_in) }),
    kind: String(kind),
    ...(due_at === null ? {} : { due_at: Number(due_at) }),
    value: parse(value) as Json,
  };
}

/** The stored value of an entry. @throws if it is too long */
export function dueEntryText(value: Json): string {
  const text = JSON.stringify(value);
  if (text.length > maxValue)
    throw new Error(`An entry has ${text.length} characters; at most ${maxValue} are kept`);
  return text;
}

export function takenEntryError(id: string): Error {
  return new Error(`The id ${id} is taken`);
}
