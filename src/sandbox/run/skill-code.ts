import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Skill } from "../../core/skill/skill.ts";
import type { Isolation, ShownSkill } from "../isolation.ts";
import { isShipped, type SandboxContext } from "../sandbox-context.ts";
import { skillFolder } from "./resolve-script.ts";

/** What code of a skill gets, whatever runs it. @param skills further ones whose files it sees */
export async function codeOfSkill(skill: Skill, context: SandboxContext, skills: readonly Skill[] = []) {
  const shown = await shownSkills([skill, ...skills]);
  return {
    keys: skill.requires.keys,
    packages: await context.prepared.packagesFor(skill),
    shown,
    shipped: isShipped(skill),
  };
}

/** The skills with a folder, each once, as code sees them. */
export async function shownSkills(skills: readonly Skill[]): Promise<ShownSkill[]> {
  const shown = new Map<string, ShownSkill>();
  for (const skill of skills) {
    const folder = shown.has(skill.id) ? undefined : await skillFolder(skill.origin.path);
    if (folder !== undefined)
      shown.set(skill.id, { id: skill.id, folder, leftOut: await unreadModules(skill, folder) });
  }
  return [...shown.values()];
}

const maxDepth = 16;

/**
 * The folders called node_modules in a skill's folder, relative to it, of which the skill knows no file: they were too large to be read
 * when it was loaded, or were added later. No review and no hash covers them, so the skill's code must not see them.
 */
async function unreadModules(skill: Skill, folder: string): Promise<string[]> {
  if (skill.files === undefined) return [];
  const known = (await skill.files.list()).map(({ path }) => path);
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((each) => each.isDirectory() && each.name !== ".git")) {
      const within = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.name !== "node_modules") {
        if (depth < maxDepth) await look(within, depth + 1);
      } else if (!known.some((file) => file.startsWith(`${within}/`))) found.push(within);
    }
  };
  await look("", 0);
  return found;
}

/** Why folders of the skill that code is of, the first of those shown, prevent it from running: only bubblewrap can hide them from it. */
export function exposedModules([own]: readonly ShownSkill[], isolation: Isolation): string | undefined {
  const first = own?.leftOut[0];
  if (first === undefined || isolation.kind === "bubblewrap") return undefined;
  return `${first} in the skill's folder was not read when it was loaded, and only bubblewrap keeps code from it. Remove that folder. ${isolation.lacks.problem} ${isolation.lacks.cure}`;
}
