import type { Binding } from "./allowance.ts";
import { canonicalJson } from "./json.ts";

/** Characters of one value that is named. */
const longestValue = 100;

/** What "always here" would allow, as a sentence. */
export function alwaysText({ values }: Pick<Binding, "values">): string {
  const named = destinationText(values);
  const to = named === "" ? "" : ` with ${named}`;
  return `“Always here” allows this tool as it is now${to}, in this channel, until somebody takes it back (/agent approvals).`;
}

/** The values an allowance is bound to: `to = ann@example.com`; empty when there are none. */
export function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : canonicalJson(value);
      return `${name} = ${text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text}`;
    })
    .join(", ");
}
