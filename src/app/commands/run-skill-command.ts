import type { Json } from "../../core/json.ts";
import type { Parameter } from "../../core/parameter.ts";
import { outputOf } from "../../core/tool-output.ts";
import type { SkillService } from "../skill-service.ts";
import { type CommandCall, type CommandResult, refused, said } from "./command.ts";

/** Runs a skill with what was written after it; its output is for the channel. @throws WaitingForPerson */
export async function runSkillCommand(skills: SkillService, call: CommandCall): Promise<CommandResult> {
  const [id = "", ...words] = call.rest.split(/\s+/);
  const skill = await skills.detail(id, call.place.namespace);
  if (skill === undefined) {
    const text = `There is no skill called ${id || "that"}. \`/skill list\` shows what there is.`;
    return { ...refused(text), output: { error: "Skill not found", code: "skill_not_found" } };
  }
  const parsed = parseParams(call.rest.slice(id.length).trim(), words.length > 0 ? skill.parameters : []);
  if (parsed.status === "error") return refused(parsed.message);
  const result = await call.runSkill(skill.id, parsed.params);
  const output = outputOf(result);
  const text = typeof output === "string" ? output : `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``;
  if (result.status === "error") {
    return { ...refused(`${result.message}${result.hint ? ` ${result.hint}` : ""}\n\n${text}`), output };
  }
  return { ...said(text), output: { skill_id: skill.id, output, success: true } };
}

type ParsedParams = { status: "ok"; params: Json } | { status: "error"; message: string };

/** Quotes as people type them, and as Slack and phones turn them. */
const pair = /(?:^|\s)([\w-]+)=("(?:[^"\\]|\\.)*"|[“”„][^“”]*[“”]|\S+)/g;

/** JSON, `name=value` pairs (values may be quoted), or plain text for the first required parameter. */
function parseParams(text: string, parameters: readonly Parameter[]): ParsedParams {
  if (text === "") return { status: "ok", params: {} };
  if (text.startsWith("{")) {
    try {
      return { status: "ok", params: JSON.parse(text) as Json };
    } catch (error) {
      return {
        status: "error",
        message: `The parameters are not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }
  const pairs = [...text.matchAll(pair)];
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  if (pairs.length > 0 && pairs.every(([, name = ""]) => known.has(name))) {
    const entries = pairs.map(
      ([, name = "", value = ""]) => [name, readValue(value, known.get(name))] as const,
    );
    return { status: "ok", params: Object.fromEntries(entries) };
  }
  const first = parameters.find((parameter) => parameter.required) ?? parameters[0];
  return { status: "ok", params: first === undefined ? {} : { [first.name]: text } };
}

function readValue(text: string, parameter: Parameter | undefined): Json {
  const plain = unquoted(text);
  if (parameter === undefined || parameter.type === "string") return plain;
  try {
    return JSON.parse(plain) as Json;
  } catch {
    return plain;
  }
}

function unquoted(text: string): string {
  if (text.startsWith('"')) return text.slice(1, -1).replace(/\\(.)/g, "$1");
  return /^[“”„].*[“”]$/s.test(text) ? text.slice(1, -1) : text;
}
