import { oneLine } from "../../../base/markdown-text.ts";
import type { Json } from "../../../core/json.ts";

/** Characters of a result in the line of its step. */
const longest = 80;

/** Slips of the model, which it mends by itself: what exactly was wrong with the call says nothing to people. */
const slips: ReadonlyMap<unknown, string> = new Map([
  ["unknown_tool", "there is no such tool; the agent was told"],
  ["invalid_json", "called in a wrong way; the agent was told why"],
  ["invalid_arguments", "called in a wrong way; the agent was told why"],
]);

const failed = "this did not work; the agent was told why";

/**
 * What came of a step, in a few words; empty when there is nothing short to say. A channel sees sentences only: what is meant for
 * the model or for operators is in the details of the turn.
 */
export function shortResult(output: Json | undefined): string {
  if (output === undefined || output === null) return "";
  if (Array.isArray(output)) return output.length === 1 ? "1 result" : `${output.length} results`;
  if (typeof output !== "object") return sentence(String(output));
  const { error, code } = output;
  if (typeof error === "string") return slips.get(code) ?? (sentence(error) || failed);
  for (const [key, value] of Object.entries(output)) {
    if (Array.isArray(value)) return `${value.length} ${oneLine(key.replaceAll("_", " "), 40)}`;
    if (typeof value === "string" && value.trim() !== "") return sentence(value);
  }
  return "";
}

/** Markup, data, addresses and the codes of servers. */
const raw = /[<>{}[\]|`]|https?:|\bHTTP \d|\blocalhost\b|\b\d+(?:\.\d+){3}\b|:\d{2,5}\b|\bE[A-Z]{4,}\b/;

/** The text if it is a short line of words; empty otherwise. */
function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > longest || trimmed.includes("\n") || raw.test(trimmed)
    ? ""
    : oneLine(trimmed, longest);
}
