import type { Diagnostic, Skill } from "./skill.ts";

/** Makes skills of tools from packages whose SKILL.md says `skill_type: tool`. */
export interface ToolPackages {
  /**
   * The skill with the tools its module exports, then its parts; undefined when it has no such module. Never throws. What tools there
   * are is found out by running the module in the sandbox, once for each version, and of an installed one when somebody enabled it:
   * until then `complete` is false and the skill has none.
   */
  load(skill: Skill): Promise<LoadedToolPackage | undefined>;
}

export interface LoadedToolPackage {
  skills: readonly Skill[];
  diagnostics: readonly Diagnostic[];
  complete: boolean;
}
