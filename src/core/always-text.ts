import type { Binding } from "./call-binding.ts";
import { canonicalJson } from "./json.ts";

/** Characters of one value that is named. */
const longestValue = 100;

/** What "always here" would allow and "never" refuse, for people. `where` is where it would hold. */
export function alwaysText({ values }: Pick<Binding, "values">, where = "in this channel"): string {
  const named = destinationText(values);
  const to = named === "" ? "" : ` with ${named}`;
  return `“Always here” allows this tool as it is now${to}, ${where}; “Never” refuses it without asking. Either holds until somebody takes it back (/agent approvals).`;
}

/** The values a decision is bound to: `to = ann@example.com`; empty when there are none. */
export function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : canonicalJson(value);
      return `${name} = ${text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text}`;
    })
    .join(", ");
}
