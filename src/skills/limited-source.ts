import type { Skill, SkillSource } from "../core/skill/skill.ts";
import { createJudgedSource } from "./judged-source.ts";

/** The skills of a source, with a limit of `seconds` for all their tools and scripts, whatever their files say. */
export function createLimitedSource(source: SkillSource, seconds: number): SkillSource {
  return createJudgedSource(source, (loaded) => ({
    ...loaded,
    skills: loaded.skills.map((skill) => cap(skill, seconds)),
  }));
}

function cap(skill: Skill, seconds: number): Skill {
  const max_execution_ms = seconds * 1000;
  if (skill.max_execution_seconds <= seconds) return skill;
  const tools = skill.tools.map((tool) =>
    tool.max_execution_ms <= max_execution_ms ? tool : { ...tool, max_execution_ms },
  );
  return { ...skill, max_execution_seconds: seconds, tools };
}
