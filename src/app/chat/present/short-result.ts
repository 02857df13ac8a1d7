import type { Json } from "../../../core/json.ts";
import { oneLine } from "./escape-markdown.ts";

/** Characters of a result in the line of its step. */
const longest = 80;

/** Slips of the model, which it mends by itself: what exactly was wrong with the call says nothing to people. */
const slips: ReadonlyMap<unknown, string> = new Map([
  ["unknown_tool", "there is no such tool; the agent was told"],
  ["invalid_json", "called in a wrong way; the agent was told why"],
  ["invalid_arguments", "called in a wrong way; the agent was told why"],
]);

/** What came of a step, in a few words; empty when there is nothing short to say. */
export function shortResult(output: Json | undefined): string {
  if (output === undefined || output === null) return "";
  if (Array.isArray(output)) return output.length === 1 ? "1 result" : `${output.length} results`;
  if (typeof output !== "object") return oneLine(String(output), longest);
  const { error, code } = output;
  if (typeof error === "string") return slips.get(code) ?? oneLine(error, longest);
  for (const [key, value] of Object.entries(output)) {
    if (Array.isArray(value)) return `${value.length} ${oneLine(key.replaceAll("_", " "), 40)}`;
    if (typeof value === "string" && value.trim() !== "") return oneLine(value, longest);
  }
  return "";
}
