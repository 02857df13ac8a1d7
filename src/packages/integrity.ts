import { errorCode } from "../base/error-text.ts";
import type { Verdict } from "../core/skill/programs.ts";
import { type Diagnostic, isInstalled, type LoadedSkills, type Skill } from "../core/skill/skill.ts";
import type { PackageRegister, RegisterEntry, RegisterIndex } from "./package-register.ts";
import { treeHash } from "./tree-hash.ts";

/** Whether an installed skill is still as it was reviewed and installed. */
export interface Integrity {
  /**
   * The skills that a source of installed skills loaded, each with its time of installation. A skill that was not installed through the
   * register, or whose files changed since, gets a problem and cannot be used. Returns the same object for the same object while the
   * register is unchanged. Costs one read of the store.
   */
  verify(loaded: LoadedSkills): Promise<LoadedSkills>;
  /**
   * Checks the files themselves, right before code of the skill runs: `folder` is the copy that will be run if there is one, otherwise the
   * skill's own folder. Skills of other sources pass. Reads all files of the skill.
   */
  verifyBeforeRun(skill: Skill, folder?: string): Promise<Verdict>;
}

export function createIntegrity(register: PackageRegister): Integrity {
  const known = new WeakMap<LoadedSkills, { index: string; answer: LoadedSkills }>();
  return {
    async verify(loaded) {
      const index = await register.index();
      const text = JSON.stringify(index);
      const before = known.get(loaded);
      if (before?.index === text) return before.answer;
      const answer = withProblems(loaded, index);
      known.set(loaded, { index: text, answer });
      return answer;
    },
    async verifyBeforeRun(skill, folder = skill.origin.path) {
      if (!isInstalled(skill)) return { ok: true };
      const entry = entryOf(skill, await register.index());
      const problem = problemOf(skill, entry);
      if (problem !== undefined) return { ok: false, reason: problem };
      return (await hashOf(folder)) === entry?.tree
        ? { ok: true }
        : { ok: false, reason: changed(skill, entry) };
    },
  };
}

function withProblems(loaded: LoadedSkills, index: RegisterIndex): LoadedSkills {
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const skills = loaded.skills.map((skill) => {
    const entry = entryOf(skill, index);
    const problem = problemOf(skill, entry);
    if (problem === undefined)
      return entry === undefined ? skill : { ...skill, origin: { ...skill.origin, installed_at: entry.at } };
    if (skill.parent === undefined) {
      diagnostics.push({
        path: skill.origin.path,
        severity: "error",
        code: entry === undefined ? "not_installed" : "changed_since_install",
        message: problem,
      });
    }
    return { ...skill, problems: [problem, ...(skill.problems ?? [])] };
  });
  return { skills, diagnostics };
}

/** A part is treated like its parent. */
function entryOf(skill: Skill, index: RegisterIndex): RegisterEntry | undefined {
  const id = skill.parent ?? skill.id;
  return Object.hasOwn(index, id) ? index[id] : undefined;
}

function problemOf(skill: Skill, entry: RegisterEntry | undefined): string | undefined {
  if (entry === undefined) {
    return `It was not installed but put into the folder of installed skills (${skill.origin.path}). Install it with \`knack skills install\`, or put it into the workspace's skill folder.`;
  }
  // The hash of a part may cover the part alone; its parent's is the recorded one.
  if (skill.parent !== undefined || skill.hash === entry.hash) return undefined;
  return changed(skill, entry);
}

function changed(skill: Skill, entry: RegisterEntry | undefined): string {
  const day = new Date(entry?.at ?? 0).toISOString().slice(0, 10);
  return `Its files changed since it was installed on ${day}. Look at what changed in ${skill.origin.path}, then install it again or remove it.`;
}

/** Undefined if the files cannot be read, which never matches the installed ones. */
async function hashOf(folder: string): Promise<string | undefined> {
  try {
    return await treeHash(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
