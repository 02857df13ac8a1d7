import type { LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";

/**
 * The skills of a source, with a limit of `seconds` for all their tools and scripts, whatever their files say. Returns the same object as
 * before while the source does.
 */
export function createLimitedSource(source: SkillSource, seconds: number): SkillSource {
  let before: LoadedSkills | undefined;
  let limited: LoadedSkills = { skills: [], diagnostics: [] };
  return {
    id: source.id,
    async load() {
      const loaded = await source.load();
      if (loaded !== before)
        limited = { ...loaded, skills: loaded.skills.map((skill) => cap(skill, seconds)) };
      before = loaded;
      return limited;
    },
  };
}

function cap(skill: Skill, seconds: number): Skill {
  const max_execution_ms = seconds * 1000;
  if (skill.max_execution_seconds <= seconds) return skill;
  const tools = skill.tools.map((tool) =>
    tool.max_execution_ms <= max_execution_ms ? tool : { ...tool, max_execution_ms },
  );
  return { ...skill, max_execution_seconds: seconds, tools };
}
