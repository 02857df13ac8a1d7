import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Skill } from "../core/skill/skill.ts";
import type { Isolation } from "./isolation.ts";

const maxDepth = 16;

/**
 * The folders called node_modules in a skill's folder, relative to it, of which the skill knows no file: they were too large to be read
 * when it was loaded, or were added later. No review and no hash covers them, so the skill's code must not see them.
 */
export async function unreadModules(skill: Skill, folder: string): Promise<string[]> {
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

/** Why these folders prevent code from running here; only bubblewrap can hide them from it. */
export function exposedModules(found: readonly string[], isolation: Isolation): string | undefined {
  const [first] = found;
  if (first === undefined || isolation.kind === "bubblewrap") return undefined;
  return `${first} in the skill's folder was not read when it was loaded, and only bubblewrap keeps code from it. Remove that folder. ${isolation.lacks.problem} ${isolation.lacks.cure}`;
}
