import { ownToolNames } from "../../core/skill/offered-tools.ts";
import { parametersOf } from "../../core/skill/skill.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { type Candidate, firstStem, isUrlName, stemsOfAll } from "./fitness.ts";
import type { ListedSkill } from "./listed-skill.ts";
import { tokenize } from "./vocabulary.ts";

/** Whether a tool is a skill's own. */
export function isSkillTool(name: string): boolean {
  return !ownToolNames.has(name);
}

/** The tools of active skills. */
export function skillTools(tools: readonly ToolDefinition[]): ToolDefinition[] {
  return tools.filter(({ name }) => isSkillTool(name));
}

/** What can be used where skills cannot be listed: the tools that are there. */
export function openSkills(tools: readonly ToolDefinition[]): ListedSkill[] {
  return skillTools(tools).map(({ name, description }) => ({
    id: name,
    name,
    description,
    category: "",
    parameters: [],
    tags: [],
    state: "active",
  }));
}

/** The tools of one skill: those its activation named, and those whose name begins with the skill's id. */
export function toolsOfSkill(
  tools: readonly ToolDefinition[],
  skillId: string,
  activation?: string | undefined,
): ToolDefinition[] {
  const end = activation?.lastIndexOf("</skill_guide>") ?? -1;
  const line = end < 0 ? undefined : /^Tools now available: (.+)$/m.exec(activation?.slice(end) ?? "")?.[1];
  const named = new Set(
    line
      ?.replace(/ and \d+ more$/, "")
      .split(",")
      .map((name) => name.trim()),
  );
  // Of many tools only the first are named. Those of a server bear its name.
  const id = flat(skillId.replace(/^mcp_/, ""));
  return skillTools(tools).filter(
    ({ name }) => named.has(name) || flat(name) === id || flat(name).startsWith(`${id}_`),
  );
}

function flat(name: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, "_").toLowerCase();
}

/** A tool by its words: its name, its choices, and the verb its description begins with. */
export function toolCandidate(tool: ToolDefinition): Candidate<ToolDefinition> {
  const parameters = parametersOf(tool.parameters);
  const choices = parameters.flatMap((parameter) => (parameter.enum ?? []).map(String));
  const verb = firstStem(tokenize(tool.description));
  return {
    value: tool,
    names: new Set([
      ...stemsOfAll([tool.name.replaceAll("_", " "), ...choices]),
      ...(verb === undefined ? [] : [verb]),
    ]),
    telling: stemsOfAll([tool.description, ...parameters.map(({ description }) => description)]),
    takesUrl: parameters.some(({ name }) => isUrlName(name)),
  };
}
