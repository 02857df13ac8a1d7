import { jsonrepair } from "jsonrepair";
import { parseDocument } from "yaml";
import { readJson } from "../../base/json-reader.ts";

/**
 * Puts quotes around plain values that YAML cannot read: an unquoted colon (`description: Use when: …`) or a leading special character
 * (`@`, `*`, `%`, a backtick). Continued lines are folded into the value; block scalars stay as they are.
 */
export function quoteValues(yaml: string): string {
  const lines = yaml.split("\n");
  const result: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const [, indent = "", key = "", value = ""] = /^(\s*)([\w.-]+):[ \t]+(\S.*)$/.exec(lines[at] ?? "") ?? [];
    const end = key === "" ? at + 1 : endOfValue(lines, at, indent.length);
    const whole = [value, ...lines.slice(at + 1, end).map((line) => line.trim())].join(" ").trim();
    if (needsQuotes(value, whole)) result.push(`${indent}${key}: ${JSON.stringify(whole)}`);
    else result.push(...lines.slice(at, end));
    at = end;
  }
  return result.join("\n");
}

function endOfValue(lines: readonly string[], start: number, indent: number): number {
  let end = start + 1;
  while (end < lines.length && isContinuation(lines[end] ?? "", indent)) end += 1;
  return end;
}

function isContinuation(line: string, indent: number): boolean {
  return line.trim() !== "" && line.length - line.trimStart().length > indent;
}

/** @param first the first line of the value; only the header of a block scalar has nothing else */
function needsQuotes(first: string, whole: string): boolean {
  if (/^[|>]/.test(first)) return !/^[|>][-+\d]{0,2}(\s+#.*)?$/.test(first);
  if (/^["'[{]/.test(first))
    return parseDocument(`value: ${whole}`, { logLevel: "silent" }).errors.length > 0;
  // A comment cannot be between the lines of a text.
  if (whole !== first && /\s#/.test(first)) return true;
  return /:(\s|$)/.test(whole) || /^([@`%*&!]|[-?]\s)/.test(whole);
}

/** Converts tabs at the beginning of lines to spaces: YAML does not allow them for indentation. */
export function untab(yaml: string): string {
  return yaml.replace(/^[ \t]*\t[ \t]*/gm, (indent) => indent.replaceAll("\t", "  "));
}

/** Keys with prose, in which YAML's special characters are ordinary text. */
const proseLine = /^(name|description):[ \t]+([^\s"'|>].*)$/;

/**
 * The values of `name` and `description` as written, if they are not in quotes: YAML ends them at ` #`, and drops a word that begins with
 * `&` or `!`.
 */
export function writtenProse(yaml: string): Map<string, string> {
  const lines = yaml.split("\n");
  const found = lines.flatMap((line, at): [string, string][] => {
    const [, key, value = ""] = proseLine.exec(line) ?? [];
    if (key === undefined) return [];
    const rest = lines.slice(at + 1, endOfValue(lines, at, 0));
    return [[key, [value, ...rest].join(" ").replace(/\s+/g, " ").trim()]];
  });
  return new Map(found);
}

/** Rewrites the top-level `metadata` block as plain JSON if it is JSON with comments, or otherwise nearly JSON. */
export function repairMetadata(yaml: string): string {
  const block = /^metadata:[ \t]*(?:\n[ \t]*)?(\{[\s\S]*?)(?=\n[\w-]+:|$(?![\s\S]))/m.exec(yaml);
  const text = block?.[1];
  if (block === null || text === undefined) return yaml;
  const json = repairJson(text);
  if (json === undefined) return yaml;
  return `${yaml.slice(0, block.index)}metadata: ${JSON.stringify(json)}${yaml.slice(block.index + block[0].length)}`;
}

/** The value of a text that is JSON, JSON5 or nearly so; undefined otherwise. */
export function repairJson(text: string): unknown {
  const read = readJson(text, jsonrepair);
  return read.ok ? read.value : undefined;
}
