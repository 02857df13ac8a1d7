import { parseExactly } from "../../base/exact-number.ts";
import { isRecord } from "../../base/record.ts";
import type { SkillDetail } from "../../client/shapes.ts";
import type { Json } from "../../core/values/json.ts";

type Parameter = SkillDetail["parameters"][number];

/**
 * The values of a form, converted to the types of the parameters. Empty fields are left out. If not ok, the invalid field and
 * its problem.
 */
export function readTrialValues(
  parameters: readonly Parameter[],
  texts: ReadonlyMap<string, string>,
): { ok: true; values: Record<string, Json> } | { ok: false; field: string; problem: string } {
  const values: [string, Json][] = [];
  for (const parameter of parameters) {
    const { name } = parameter;
    const text = texts.get(name) ?? "";
    if (text.trim() === "") {
      if (!parameter.required || parameter.default !== undefined) continue;
      return { ok: false, field: name, problem: `${name} is needed.` };
    }
    const read = readValue(parameter, text);
    if (!read.ok) return { ok: false, field: name, problem: read.problem };
    values.push([name, read.value]);
  }
  return { ok: true, values: Object.fromEntries(values) };
}

/** A preset as the text of a field. */
export function presetText(preset: Json | undefined): string {
  if (preset === undefined || preset === null) return "";
  return typeof preset === "string" ? preset : JSON.stringify(preset);
}

function readValue(
  { name, type, enum: choices }: Parameter,
  text: string,
): { ok: true; value: Json } | { ok: false; problem: string } {
  const choice = choices?.find((each) => presetText(each) === text);
  if (choice !== undefined) return { ok: true, value: choice };
  switch (type) {
    case "string":
      return { ok: true, value: text };
    case "boolean":
      return { ok: true, value: text === "true" };
    case "number": {
      const value = Number(text);
      return Number.isFinite(value) ? { ok: true, value } : { ok: false, problem: `${name} is no number.` };
    }
    case "object":
    case "array":
      return readJson(name, type, text);
    default:
      return type satisfies never;
  }
}

function readJson(
  name: string,
  type: "object" | "array",
  text: string,
): { ok: true; value: Json } | { ok: false; problem: string } {
  const example = type === "array" ? '["a", "b"]' : '{"name": "value"}';
  const problem = `${name} has to be written as JSON, such as ${example}.`;
  try {
    const value = parseExactly(text) as Json;
    const fits = type === "array" ? Array.isArray(value) : isRecord(value);
    return fits ? { ok: true, value } : { ok: false, problem };
  } catch {
    // The text is not valid JSON; the form shows the problem.
    return { ok: false, problem };
  }
}
