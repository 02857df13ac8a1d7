import { z } from "zod";
import { parameterSchema } from "../../core/skill/skill.ts";
import { type Candidate, isUrlName, stemsOfAll } from "./fitness.ts";
import { readOutput } from "./read-output.ts";

/** A skill as `list_skills` shows it; anything may be missing. */
const listedSkillSchema = z.object({
  id: z.string().min(1),
  name: z.string().catch(""),
  description: z.string().catch(""),
  category: z.string().catch(""),
  parameters: z.array(parameterSchema).catch([]),
  tags: z.array(z.string()).catch([]),
  state: z.string().catch("available"),
});
export type ListedSkill = z.infer<typeof listedSkillSchema>;

/** The skills in a result of `list_skills`, as many as were not cut off; none when it is something else. */
export function readSkillList(text: string): ListedSkill[] {
  const { value } = readOutput(text);
  const list = z.object({ skills: z.array(z.unknown()) }).safeParse(value);
  if (!list.success) return [];
  return list.data.skills.flatMap((skill) => {
    const parsed = listedSkillSchema.safeParse(skill);
    return parsed.success ? [parsed.data] : [];
  });
}

/** A listed skill by its words. */
export function skillCandidate(skill: ListedSkill): Candidate<ListedSkill> {
  const choices = skill.parameters.flatMap((parameter) => (parameter.enum ?? []).map(String));
  return {
    value: skill,
    names: stemsOfAll([skill.id, skill.name, ...skill.tags, ...choices]),
    telling: stemsOfAll([
      skill.description,
      skill.category,
      ...skill.parameters.map(({ description }) => description),
    ]),
    takesUrl: skill.parameters.some(({ name }) => isUrlName(name)),
  };
}
