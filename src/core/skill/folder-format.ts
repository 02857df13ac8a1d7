import type { LoadedSkills, SkillFiles, SkillOrigin } from "./skill.ts";

/** Another kind of skill folder than those with a SKILL.md: two files beside each other make a folder one of them. */
export interface FolderFormat {
  /** Name of the file that describes the skill, e.g. `plugin.json`. */
  manifest: string;
  /** Name of the file with its code, e.g. `handler.js`. */
  code: string;
  /** Never throws: what cannot be loaded is a diagnostic. */
  load(folder: FormattedFolder): LoadedSkills;
}

export interface FormattedFolder {
  origin: SkillOrigin;
  /** sha256 over all files, hex. */
  hash: string;
  /** The manifest; undefined when it cannot be read as UTF-8. */
  text: string | undefined;
  files: SkillFiles;
}
