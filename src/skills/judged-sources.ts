/** Sources whose skills are judged by what this machine and its operator allow. */
import type { PreparedPackages } from "../core/skill/packages.ts";
import type { Verdict } from "../core/skill/programs.ts";
import type { Diagnostic, LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";

/** Returns the skill itself if nothing has to be changed in it. */
type Judge = (skill: Skill, diagnostics: Diagnostic[]) => Skill | Promise<Skill>;

/**
 * The skills of a source as `judge` returns them. Returns the same object as before while the source does and `state` is equal. If the
 * judgement fails, on a full disk for instance, the skills are returned as they are: a call reports that, and the next load repeats it.
 */
function judged(source: SkillSource, judge: Judge, state = async () => ""): SkillSource {
  let before: { loaded: LoadedSkills; state: string; judged: LoadedSkills } | undefined;
  return {
    id: source.id,
    async load() {
      const loaded = await source.load();
      const now = await state();
      if (loaded === before?.loaded && now === before.state) return before.judged;
      try {
        const diagnostics = [...loaded.diagnostics];
        const skills = await Promise.all(loaded.skills.map((skill) => judge(skill, diagnostics)));
        const isSame = skills.every((skill, at) => skill === loaded.skills[at]);
        before = { loaded, state: now, judged: isSame ? loaded : { skills, diagnostics } };
        return before.judged;
      } catch {
        return loaded;
      }
    },
  };
}

/** The skills of a source, with a limit of `seconds` for all their tools and scripts, whatever their files say. */
export function createLimitedSource(source: SkillSource, seconds: number): SkillSource {
  const limit = seconds * 1000;
  return judged(source, (skill) => {
    if (skill.max_execution_seconds <= seconds) return skill;
    const tools = skill.tools.map((tool) =>
      tool.max_execution_ms <= limit ? tool : { ...tool, max_execution_ms: limit },
    );
    return { ...skill, max_execution_seconds: seconds, tools };
  });
}

/** The skills of a source. A skill whose code needs packages that nobody prepared cannot be used. */
export function createPreparedSource(
  source: SkillSource,
  prepared: Pick<PreparedPackages, "lacks" | "changes">,
): SkillSource {
  const judge: Judge = async (skill) => {
    const lack = skill.code && (await prepared.lacks(skill));
    return lack === undefined ? skill : withProblem(skill, lack);
  };
  return judged(source, judge, () => prepared.changes());
}

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
  return judged(source, async (skill, diagnostics) => {
    if (skill.code === undefined) return skill;
    const verdict = await allows(skill);
    if (verdict.ok) return skill;
    if (skill.code.runs === "tools") return withProblem(skill, verdict.reason);
    diagnostics.push(scriptsDoNotRun(skill, verdict.reason));
    return { ...skill, guide_note: withoutScripts(skill) };
  });
}

function withProblem(skill: Skill, problem: string): Skill {
  return { ...skill, problems: [...(skill.problems ?? []), problem] };
}

function scriptsDoNotRun({ id, origin }: Skill, reason: string): Diagnostic {
  const message = `It can be read, but its scripts and commands do not run here. ${reason}`;
  return { path: origin.path, skill_id: id, severity: "warning", code: "scripts_do_not_run", message };
}

function withoutScripts({ guide_note = "" }: Skill): string {
  return `${guide_note}\n\nIts scripts and command lines do not run on this machine, so run_skill_script refuses them. Do what you can without them, and tell the person what could not be run.`.trim();
}
