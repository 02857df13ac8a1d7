import { isContainer } from "../../base/record.ts";
import { outputOf, type ToolResult } from "../../core/skill/tool.ts";
import { type Json, objectOf } from "../../core/values/json.ts";
import { formatBytes, renderOutput } from "../../core/values/shown.ts";
import { type CommandResult, refused, said } from "./command.ts";

/** What is larger than this, characters of JSON, or nested deeper, is a file beside its finding. */
const maxDataLength = 4_000;
const deepest = 4;

/**
 * What people read of a skill that they ran themselves: its finding, then small data as a list or table; larger data is a JSON
 * file. A failure is what happened, without the hint, which is for models. `output` is all of it, for programs.
 */
export function runAnswer(skill_id: string, result: ToolResult): CommandResult {
  const output = outputOf(result);
  if (result.status === "error") return { ...refused(failureText(result)), output };
  return { ...shownData(skill_id, answerIn(output)), output: { skill_id, output, success: true } };
}

function shownData(skillId: string, value: Json): CommandResult {
  if (typeof value === "string") return said(value.trim() === "" ? `**${skillId}** is done.` : value);
  const json = JSON.stringify(value, null, 2);
  if (json.length <= maxDataLength && depthOf(value) <= deepest) return said(renderOutput(value));
  const data = new TextEncoder().encode(json);
  const name = `${skillId.replaceAll(/[^\w.-]+/g, "-")}.json`;
  const text = `${findingIn(value) ?? `**${skillId}** is done.`}\n\nThe whole result is in ${name} (${formatBytes(data.byteLength)}).`;
  return { ...said(text), file: { name, media_type: "application/json", data } };
}

/** Of the record that a flow keeps of its steps, what the last of them made. */
function answerIn(output: Json): Json {
  const { results, variables, directOutput } = objectOf(output);
  if (!Array.isArray(results) || variables === undefined || directOutput === undefined) return output;
  const made = results.map((step) => objectOf(step).result ?? null).filter((result) => result !== null);
  return made.at(-1) ?? (results.length === 1 ? "1 step is done." : `${results.length} steps are done.`);
}

/** The words in which an output tells what was found. */
function findingIn(value: Json): string | undefined {
  const object = objectOf(value);
  const words = ["summary", "message", "text", "answer"].map((name) => object[name]);
  return words.find((each): each is string => typeof each === "string" && each.trim() !== "");
}

function depthOf(value: Json): number {
  if (!isContainer(value)) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function failureText({ message, code, details }: ToolResult & { status: "error" }): string {
  const expected = details?.expected_parameters;
  if (code !== "invalid_parameters" || !Array.isArray(expected) || expected.length === 0) return message;
  return [message, "", "It takes:", ...expected.map((each) => parameterLine(objectOf(each)))].join("\n");
}

function parameterLine({ name, type, required, description, enum: choices }: Record<string, Json>): string {
  const kind = Array.isArray(choices) ? choices.map(String).join(", ") : String(type);
  const told = typeof description === "string" && description !== "" ? `: ${description}` : "";
  return `- **${String(name)}** (${kind}${required === true ? "" : ", optional"})${told}`;
}
