/**
 * Where people and programs keep skills in a project. The catalogue and the installation search the same places.
 */

/** Hidden folders in which agents and repositories keep skills. Other hidden folders are not searched. */
const agentFolders: ReadonlySet<string> = new Set(
  ".claude .agents .agent .cursor .gemini .github .codex .opencode .windsurf .curated .experimental .system".split(
    " ",
  ),
);

/** Whether skills are looked for in a folder of this name: not in `node_modules`, and in hidden folders only where agents keep skills. */
export function mayHoldSkills(folderName: string): boolean {
  return folderName.startsWith(".") ? agentFolders.has(folderName) : folderName !== "node_modules";
}

const materials = /^(?:assets?|templates?|examples?|references?|resources|fixtures?|evals?|tests?|test-.*)$/i;

/**
 * Whether a SKILL.md in a subfolder of a skill is a skill of its own. Below a folder for material of the outer one (templates, examples,
 * fixtures) it is a file of that one. `inner` is its folder, relative to the outer skill.
 */
export function isOwnSkill(inner: string): boolean {
  return inner.split("/").every((name) => mayHoldSkills(name) && !materials.test(name));
}

/** The SKILL.md among the names of a folder. Some programs write it `skill.md` or `Skill.md`. */
export function skillDocument(names: readonly string[]): string | undefined {
  return names.find((name) => name === "SKILL.md") ?? names.find((name) => /^skill\.md$/i.test(name));
}
