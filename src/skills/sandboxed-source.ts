import type { Verdict } from "../core/skill/programs.ts";
import type { Diagnostic, LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";
import { createJudgedSource } from "./judged-source.ts";

/**
 * The skills of a source, marked where their code does not run on this machine: skills whose tools are such code cannot be used, guides
 * with scripts can still be read.
 *
 * @param allows whether code of a skill can run here. Called only for skills with such code, because the first call starts a process
 */
export function createSandboxedSource(
  source: SkillSource,
  allows: (skill: Skill) => Promise<Verdict>,
): SkillSource {
  return createJudgedSource(source, (loaded) => judge(loaded, allows));
}

async function judge(
  loaded: LoadedSkills,
  allows: (skill: Skill) => Promise<Verdict>,
): Promise<LoadedSkills> {
  const diagnostics = [...loaded.diagnostics];
  const skills = await Promise.all(
    loaded.skills.map(async (skill) => {
      if (skill.code === undefined) return skill;
      const verdict = await allows(skill);
      if (verdict.ok) return skill;
      if (skill.code.runs === "tools")
        return { ...skill, problems: [...(skill.problems ?? []), verdict.reason] };
      diagnostics.push(scriptsDoNotRun(skill, verdict.reason));
      return { ...skill, guide_note: withoutScripts(skill) };
    }),
  );
  return skills.every((skill, at) => skill === loaded.skills[at]) ? loaded : { skills, diagnostics };
}

function scriptsDoNotRun({ id, origin }: Skill, reason: string): Diagnostic {
  const message = `It can be read, but its scripts and commands do not run here. ${reason}`;
  return { path: origin.path, skill_id: id, severity: "warning", code: "scripts_do_not_run", message };
}

function withoutScripts({ guide_note = "" }: Skill): string {
  return `${guide_note}\n\nIts scripts and command lines do not run on this machine, so run_skill_script refuses them. Do what you can without them, and tell the person what could not be run.`.trim();
}
