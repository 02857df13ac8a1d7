import type { Skill } from "../../../core/skill/skill.ts";
import { resolveSkill } from "../../../core/skill/skill-identifier.ts";
import type { Outcome } from "../../../core/values/failure.ts";
import type { Place } from "../../../core/values/place.ts";
import { noSuchSkill } from "../../services/skill-service.ts";
import type { CommandOption, Services } from "../services.ts";

/** Said when a command that takes a skill names none. */
export const whichSkill = "Which skill? `/skill list` shows what there is.";

/** The skills of a channel. */
async function completeSkills({ skills }: Services, namespace: string) {
  const { skills: all } = await skills.list(namespace);
  return all.map(({ id, summary }) => ({ text: id, description: summary }));
}

/** The option of a command that takes a skill. */
export const skillOption: CommandOption = {
  name: "skill",
  description: "The id of the skill",
  required: true,
  complete: completeSkills,
};

/** The argument of commands about one skill of a channel. */
export const oneSkill = {
  options: [skillOption],
  missing: whichSkill,
  read: (words: string, { namespace }: Place) => (words === "" ? undefined : { id: words, namespace }),
};

/** The skill that a person means, by its id or a close match. A failure suggests others. */
export async function findSkill(id: string, { catalogue }: Services): Promise<Outcome<Skill>> {
  const { skills } = await catalogue.current();
  const resolved = resolveSkill(id, skills.values());
  const skill = resolved.status === "found" ? skills.get(resolved.id) : undefined;
  if (skill !== undefined) return { ok: true, value: skill };
  return noSuchSkill(id, resolved.status === "unknown" ? resolved.nearest : []);
}
