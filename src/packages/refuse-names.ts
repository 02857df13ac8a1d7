import { ownToolNames } from "../core/skill/offered-tools.ts";
import { isInstalled, type Skill } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { RegisterIndex } from "./package-register.ts";

/**
 * Refuses ids that would stand for something else: of a skill that ships (an installed one would replace it for everybody), of one of
 * its tools or of the agent's own, or that differ from one of these or from an installed one by case or by how a letter is written.
 * @throws PackageRefusal
 */
export function refuseNames(skills: readonly Skill[], shipped: readonly Skill[], index: RegisterIndex): void {
  for (const { id } of skills) {
    const own = shipped.find((skill) => fold(skill.id) === fold(id));
    if (own !== undefined) {
      throw new PackageRefusal(
        "shipped_name",
        `It is called ${id}, as a skill that ships with the bot, and would stand in its place. Nothing was installed; rename it, or put it into the workspace's skill folder if it is to replace that skill.`,
      );
    }
    const owner = ownerOfTool(id, shipped);
    if (owner !== undefined) {
      throw new PackageRefusal(
        "shipped_name",
        `It is called ${id}, as a tool of ${owner}, and would get calls that are meant for that tool. Nothing was installed; rename it.`,
      );
    }
    const rival = Object.keys(index).find((other) => other !== id && fold(other) === fold(id));
    if (rival !== undefined) {
      throw new PackageRefusal(
        "names_differ_by_case",
        `Its id ${id} differs from the installed ${rival} only by case or by how a letter is written. Nothing was installed; remove ${rival} first, or rename this one.`,
      );
    }
  }
}

/** Who has a tool that an installed skill of this id could be taken for, in words for a person. */
function ownerOfTool(id: string, shipped: readonly Skill[]): string | undefined {
  const named = (tool: string) => fold(tool) === fold(id) || fold(tool) === fold(toToolName(id));
  if ([...ownToolNames].some(named)) return "the bot itself";
  const owner = shipped.find(({ tools }) => tools.some(({ name }) => named(name)));
  return owner && `${owner.id}, which ships with the bot`;
}

/**
 * Refuses ids that a skill of another source has already: one of the two would stand in the other's place, and get its settings and
 * what was granted it by name.
 * @throws PackageRefusal
 */
export async function refuseTakenIds(
  skills: readonly Skill[],
  find: (id: string) => Promise<Skill | undefined>,
): Promise<void> {
  for (const { id } of skills) {
    const other = await find(id);
    if (other === undefined || isInstalled(other)) continue;
    const what = other.kind === "mcp" ? "the skill of a tool server" : `a skill in ${other.origin.path}`;
    throw new PackageRefusal(
      "taken_id",
      `It is called ${id}, as ${what} that is there already. Nothing was installed; rename one of them, or remove the other first.`,
    );
  }
}

function fold(id: string): string {
  return id.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Refuses a package with two skills of one id, or of one but for case. @throws PackageRefusal */
export function refuseTwins(skills: readonly Skill[]): void {
  const seen = new Map<string, string>();
  for (const { id } of skills) {
    const before = seen.get(fold(id));
    if (before !== undefined) {
      const message = `It holds two skills of one name: ${before} and ${id}. Nothing was installed; rename one.`;
      throw new PackageRefusal("duplicate_skill", message);
    }
    seen.set(fold(id), id);
  }
}
