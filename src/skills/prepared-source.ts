import type { PreparedPackages } from "../core/skill/packages.ts";
import type { LoadedSkills, SkillSource } from "../core/skill/skill.ts";
import { createJudgedSource } from "./judged-source.ts";

/** The skills of a source. A skill whose code needs packages that nobody prepared cannot be used. */
export function createPreparedSource(
  source: SkillSource,
  prepared: Pick<PreparedPackages, "lacks" | "changes">,
): SkillSource {
  return createJudgedSource(
    source,
    (loaded) => judge(loaded, prepared),
    () => prepared.changes(),
  );
}

async function judge(
  loaded: LoadedSkills,
  { lacks }: Pick<PreparedPackages, "lacks">,
): Promise<LoadedSkills> {
  const skills = await Promise.all(
    loaded.skills.map(async (skill) => {
      if (skill.code === undefined) return skill;
      const lack = await lacks(skill);
      return lack === undefined ? skill : { ...skill, problems: [...(skill.problems ?? []), lack] };
    }),
  );
  return skills.every((skill, at) => skill === loaded.skills[at]) ? loaded : { ...loaded, skills };
}
