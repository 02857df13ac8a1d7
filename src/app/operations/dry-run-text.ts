import { beginningOf } from "../../base/markdown-text.ts";
import { type Json, objectOf } from "../../core/values/json.ts";

/** Of a step: said elsewhere in its text. */
const spoken = new Set(["step", "type", "name", "does", "request"]);

/** What a flow would do, as `Tool.dryRun` tells it, for people. Markdown. */
export function dryRunText(told: { [key: string]: Json }): string {
  const { flow, steps, note } = told;
  const lines = stepsOf(steps).flatMap((step) => stepLines(step, 0));
  return [`**${textOf(flow)}** would do this:`, "", ...lines, "", `_${textOf(note)}_`].join("\n");
}

function stepsOf(value: Json | undefined): { [key: string]: Json }[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function stepLines(step: { [key: string]: Json }, depth: number): string[] {
  const indent = "  ".repeat(depth);
  const label = step.name === undefined ? textOf(step.does) : `${textOf(step.name)} (${textOf(step.does)})`;
  const details = Object.entries(step).filter(([key]) => !spoken.has(key));
  const inner = details.flatMap(([key, value]) =>
    isSteps(value)
      ? [`${indent}  - ${key}:`, ...stepsOf(value).flatMap((each) => stepLines(each, depth + 2))]
      : [`${indent}  - ${words(key)}: ${code(textOf(value))}`],
  );
  return [`${indent}- **${textOf(step.step)}** ${label}`, ...requestLines(step.request, indent), ...inner];
}

function requestLines(request: Json | undefined, indent: string): string[] {
  if (request === undefined) return [];
  const { method, url, headers, body } = objectOf(request);
  const sent = Object.entries(objectOf(headers)).map(([name, value]) => `${name}: ${textOf(value)}`);
  const lines = [`${textOf(method)} ${textOf(url)}`, ...sent, ...(body === undefined ? [] : [textOf(body)])];
  return lines.map((line) => `${indent}  - ${code(line)}`);
}

function isSteps(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => objectOf(each).step !== undefined);
}

function words(key: string): string {
  return key.replaceAll("_", " ");
}

/** In a span of code: on one line and without what would end it. */
function code(text: string): string {
  const line = text.replace(/\s+/g, " ").replaceAll("`", "ˋ");
  return `\`${line.length > 600 ? `${beginningOf(line, 600)}…` : line}\``;
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
