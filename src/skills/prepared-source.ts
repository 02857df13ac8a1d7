import type { PreparedPackages } from "../core/skill/packages.ts";
import type { LoadedSkills, SkillSource } from "../core/skill/skill.ts";

/**
 * The skills of a source. A skill whose code needs packages that nobody prepared cannot be used. Returns the same object as before while
 * the source does and nothing was prepared.
 */
export function createPreparedSource(
  source: SkillSource,
  prepared: Pick<PreparedPackages, "lacks" | "changes">,
): SkillSource {
  let before: { loaded: LoadedSkills; changes: string } | undefined;
  let judged: LoadedSkills = { skills: [], diagnostics: [] };
  return {
    id: source.id,
    async load() {
      const loaded = await source.load();
      const changes = await prepared.changes();
      if (loaded === before?.loaded && changes === before.changes) return judged;
      try {
        judged = await judge(loaded, prepared);
      } catch {
        // The check failed, on a full disk for instance: the next load repeats it.
        return loaded;
      }
      before = { loaded, changes };
      return judged;
    },
  };
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
