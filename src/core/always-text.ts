import type { Binding } from "./call-binding.ts";
import { canonicalJson } from "./json.ts";

/** Characters of one value that is named. */
const longestValue = 100;
/** Characters of a button's label: Slack takes 75, Discord 80. */
const longestLabel = 70;

/** What "always here" would allow and "never" refuse, for people. `where` is where it would hold. */
export function alwaysText(
  binding: Pick<Binding, "values" | "open" | "refuses">,
  where = "in this channel",
): string {
  const { values, refuses = values } = binding;
  const named = boundText(binding);
  const to = named === "" ? "" : ` with ${named}`;
  const again = bindsNothing(binding)
    ? " it asks again once a thread has read text that nobody here vouches for;"
    : "";
  const refused =
    refuses === values || canonicalJson(refuses) === canonicalJson(values) ? "" : refusedText(refuses);
  return `“Always here” allows this tool as it is now${to}, ${where};${again} “Never” refuses it${refused} without asking. Either holds until somebody takes it back (/agent approvals).`;
}

function refusedText(refuses: Binding["values"]): string {
  const named = destinationText(refuses);
  return named === "" ? " with any arguments" : ` with ${named}`;
}

/** The words on the button of "always here": they say which arguments stay open. */
export function alwaysLabel({ open = [] }: Pick<Binding, "open">): string {
  if (open.length === 0) return "Always here";
  const label = `Always here, any ${open.join(", ")}`;
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
}

/** The values a decision is bound to, and what stays open: `to = ann@example.com, any text`; empty when there are neither. */
export function boundText({ values, open = [] }: Pick<Binding, "values" | "open">): string {
  return [destinationText(values), ...(open.length === 0 ? [] : [`any ${open.join(", ")}`])]
    .filter(Boolean)
    .join(", ");
}

/** Values as `to = ann@example.com`; empty when there are none. */
function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : canonicalJson(value);
      return `${name} = ${text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text}`;
    })
    .join(", ");
}

/**
 * Whether a binding holds no destination, whatever it is: yes or no, nothing and what is empty lead nowhere. All that such a decision
 * says is which tool.
 */
export function bindsNothing({ values }: Pick<Binding, "values">): boolean {
  return Object.values(values).every((value) => {
    if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
    return typeof value === "boolean" || value === null || value === "";
  });
}
