import { z } from "zod";
import { ownToolNames } from "../../core/skill/offered-tools.ts";
import { type Parameter, parameterSchema, parametersOf } from "../../core/skill/skill.ts";
import type { ToolDefinition } from "../../core/values/message.ts";
import { isToolOf } from "./asked-for.ts";
import { readOutput } from "./conversation.ts";
import { isUrlName } from "./fill-parameters.ts";
import { isTelling, type RequestText, stemsOf, tokenize } from "./request-text.ts";

/** A skill in a result of `list_skills`. Any field except the id may be missing. */
const listedSkillSchema = z.object({
  id: z.string().min(1),
  name: z.string().catch(""),
  description: z.string().catch(""),
  category: z.string().catch(""),
  parameters: z.array(parameterSchema).catch([]),
  tags: z.array(z.string()).catch([]),
});
export type ListedSkill = z.infer<typeof listedSkillSchema>;

/** The skills in a result of `list_skills`, as far as it was not cut; empty for any other text. */
export function readSkillList(text: string): ListedSkill[] {
  const list = z.object({ skills: z.array(z.unknown()) }).safeParse(readOutput(text).value);
  const parsed = list.data?.skills.map((skill) => listedSkillSchema.safeParse(skill).data) ?? [];
  return parsed.filter((skill) => skill !== undefined);
}

/** Whether a tool is a skill's own. */
export function isSkillTool(name: string): boolean {
  return !ownToolNames.has(name);
}

/** The tools of active skills. */
export function skillTools(tools: readonly ToolDefinition[]): ToolDefinition[] {
  return tools.filter(({ name }) => isSkillTool(name));
}

/** The existing tools as skills, for channels where skills cannot be listed. */
export function openSkills(tools: readonly ToolDefinition[]): ListedSkill[] {
  return skillTools(tools).map(({ name, description }) => listedSkillSchema.parse({ id: name, description }));
}

/** The tools of one skill: those that its activation names, and those that belong to it by their names. */
export function toolsOfSkill(
  tools: readonly ToolDefinition[],
  skillId: string,
  activation = "",
): ToolDefinition[] {
  const after = activation.slice(activation.lastIndexOf("</skill_guide>"));
  const [, line = ""] = /^Tools now available: (.+)$/m.exec(after) ?? [];
  const named = new Set(line.replace(/ and \d+ more$/, "").split(/,\s*/));
  // An activation names only the first of many tools.
  return skillTools(tools).filter(({ name }) => named.has(name) || isToolOf(skillId, name));
}

/** A skill or tool that may fit a message, with the words of its name and of its description. */
interface Candidate<T> {
  value: T;
  names: ReadonlySet<string>;
  telling: ReadonlySet<string>;
  /** Whether it works on an address. */
  takesUrl: boolean;
}

function candidate<T>(value: T, names: string[], telling: string[], parameters: Parameter[]): Candidate<T> {
  const choices = parameters.flatMap((parameter) => (parameter.enum ?? []).map(String));
  return {
    value,
    names: stemsOf(...names, ...choices),
    telling: stemsOf(...telling, ...parameters.map(({ description }) => description)),
    takesUrl: parameters.some(({ name }) => isUrlName(name)),
  };
}

export interface Fit<T> {
  value: T;
  score: number;
  /** Stems of the message that are in the candidate's name. */
  triggers: ReadonlySet<string>;
}

/** Listed skills that share words with a message, best first. */
export function rankSkills(request: RequestText, skills: readonly ListedSkill[]): Fit<ListedSkill>[] {
  const candidates = skills.map((skill) => {
    const { id, name, tags, description, category, parameters } = skill;
    const words = tags.filter((tag) => !kindTags.has(tag));
    return candidate(skill, [id, name, ...words], [description, category], parameters);
  });
  return rank(request, candidates);
}

/** Tags that say how a skill is made. Messages use these words for other things: a flow of water, a login server. */
const kindTags: ReadonlySet<string> = new Set(["flow", "mcp", "server", "imported"]);

/** Tools that share words with a message, best first. The first verb of a description counts as part of the name. */
export function rankTools(request: RequestText, tools: readonly ToolDefinition[]): Fit<ToolDefinition>[] {
  const candidates = tools.map((tool) => {
    const verb = tokenize(tool.description).find(isTelling)?.plain ?? "";
    return candidate(tool, [tool.name, verb], [tool.description], parametersOf(tool.parameters));
  });
  return rank(request, candidates);
}

/** Minimum score of a candidate that fits: one word of its name, or several of its description. */
export const goodFit = 1.75;
/** Minimum score of a candidate that makes a further search unnecessary. */
export const clearFit = 4;

/** Maximum telling words of a message that are compared. */
const maxWords = 30;
const worth = { name: 3, telling: 0.9, url: 2 };
/** Weight of a word that is the command of the message, and of a word elsewhere in a statement. */
const emphasis = { command: 1.5, statement: 0.6 };

/** Candidates that share words with the message, best first. A word that fits most candidates counts little. */
function rank<T>(request: RequestText, candidates: readonly Candidate<T>[]): Fit<T>[] {
  const { tokens, isQuestion, urls } = request;
  const telling = tokens.filter(isTelling).slice(0, maxWords);
  // A question about remembering asks to recall.
  const stems = new Set(telling.map(({ stem }) => (isQuestion && stem === "rememb" ? "recal" : stem)));
  const weight = weigher(request);
  const rarity = (knows: (candidate: Candidate<T>, stem: string) => boolean) =>
    new Map(
      [...stems].map((stem) => [
        stem,
        1 / Math.sqrt(Math.max(1, candidates.filter((each) => knows(each, stem)).length)),
      ]),
    );
  const asName = rarity(({ names }, stem) => names.has(stem));
  const asAny = rarity(({ names, telling }, stem) => names.has(stem) || telling.has(stem));
  // A single word of a name in a long text is a coincidence.
  const chance = 1 + 0.06 * Math.max(0, stems.size - 6);
  const fits = candidates.map(({ value, names, telling, takesUrl }) => {
    let score = takesUrl && urls.length > 0 ? worth.url : 0;
    for (const stem of stems) {
      if (names.has(stem)) score += worth.name * weight(stem) * (asName.get(stem) ?? 1);
      else if (telling.has(stem)) score += worth.telling * (asAny.get(stem) ?? 1);
    }
    return { value, score: score / chance, triggers: new Set([...stems].filter((stem) => names.has(stem))) };
  });
  return fits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

/** The weight of a word of a name, by its place in the message. */
function weigher({ tokens, isQuestion, payload }: RequestText): (stem: string) => number {
  if (isQuestion) return () => 1;
  const first = tokens.findIndex(isTelling);
  const article = /^(?:the|a|an|this|that|my|our|your|their|his|her|its)$/;
  const command = article.test(tokens[first - 1]?.plain ?? "") ? undefined : tokens[first]?.stem;
  const elsewhere = payload === undefined ? emphasis.statement : 1;
  return (stem) => (stem === command ? emphasis.command : elsewhere);
}
