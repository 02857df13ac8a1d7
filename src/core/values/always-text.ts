import { isContainer } from "../../base/record.ts";
import { readArguments } from "./call-arguments.ts";
import type { Binding } from "./call-binding.ts";
import { canonicalJson, type Json } from "./json.ts";

/** Characters of one value that is named. */
const longestValue = 100;
/** Characters of a button's label: Slack takes 75, Discord 80. */
const longestLabel = 70;

/** What could be decided for good, and the arguments of the call that asks. */
interface ForGood {
  binds: Pick<Binding, "values" | "open" | "refuses">;
  input: Json;
}

/** What "always here" would allow and "never" refuse, for people. `where` is where it would hold. */
export function alwaysText({ binds, input }: ForGood, where = "in this channel"): string {
  const { values, refuses = values } = binds;
  const open = openIn({ binds, input });
  const allowed = [destinationText(values), anyOf(open)].filter(Boolean).join(", ");
  const again = bindsNothing(values, open)
    ? " it asks again once a thread has read text that nobody here vouches for;"
    : "";
  const refused = refuses === values ? "" : ` with ${destinationText(refuses) || "any arguments"}`;
  const to = allowed === "" ? "" : ` with ${allowed}`;
  return `“Always here” allows this tool as it is now${to}, ${where};${again} “Never” refuses it${refused} without asking. Either holds until somebody takes it back (/agent approvals).`;
}

/** The words on the button of "always here": they say which arguments stay open. */
export function alwaysLabel({ binds, input }: ForGood): string {
  const any = anyOf(openIn({ binds, input }));
  const label = any === "" ? "Always here" : `Always here, ${any}`;
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
}

/** Paths of the arguments that may be anything. */
function openIn({ binds, input }: ForGood): string[] {
  return Object.keys(readArguments(input, binds.open).free);
}

function anyOf(open: readonly string[]): string {
  return open.length === 0 ? "" : `any ${open.join(", ")}`;
}

/** Values a decision is bound to: `to = ann@example.com`; empty when there are none. */
export function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : canonicalJson(value);
      return `${name} = ${text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text}`;
    })
    .join(", ");
}

/**
 * Whether a decision with these values and open arguments says nothing of where a call goes: yes and no, nothing and what is empty lead
 * nowhere. All that it says is which tool.
 */
export function bindsNothing(values: Binding["values"], open: readonly string[]): boolean {
  const leadsNowhere = Object.values(values).every((value) => {
    if (isContainer(value)) return Object.keys(value).length === 0;
    return typeof value === "boolean" || value === null || value === "";
  });
  return leadsNowhere && open.length > 0;
}
