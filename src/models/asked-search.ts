import type { WebQuery } from "../core/ports/web.ts";

/** The prompt for a model that searches the web. */
export function askedSearch({ words, within }: WebQuery): string {
  const recent = within === undefined ? "" : ` Only what is not older than a ${within} counts.`;
  return `Search the web once for: ${words}\n${recent} Then write one sentence for each useful source that says what it tells, citing it.`;
}

/** A note that the age of results is only a request to the model. */
export function recencyNotes(name: string, { within }: WebQuery): { notes?: string[] } {
  if (within === undefined) return {};
  return { notes: [`${name} is asked for results within a ${within}, and may not keep to it.`] };
}
