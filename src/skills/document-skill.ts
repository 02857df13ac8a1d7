import path from "node:path";
import {
  type Diagnostic,
  isInstalled,
  type Skill,
  type SkillCode,
  type SkillOrigin,
  type SkillSettingsNames,
} from "../core/skill/skill.ts";
import { pathForm } from "../core/values/file-kind.ts";
import { caution } from "./diagnose.ts";
import type { SkillDocument } from "./document/skill-document.ts";
import { guideNote, hasCommands, isScript, withSkillFolder } from "./guide-note.ts";
import type { FolderContents } from "./read-contents.ts";
import { createSkillFiles, visibleFiles } from "./skill-files.ts";

export interface DocumentSkillRequest {
  contents: FolderContents;
  origin: SkillOrigin;
  /** The real path of the source's root. */
  root: string;
  /** Path of the SKILL.md, for messages. */
  file: string;
  diagnostics: Diagnostic[];
}

/** The skill a SKILL.md makes of its folder: a guide, files and scripts. */
export function createDocumentSkill(request: DocumentSkillRequest, document: SkillDocument): Skill {
  const { contents, origin, root } = request;
  const { metadata, entry_points: written, settings, allowed_tools: _, ...rest } = document;
  const instructions = withSkillFolder(document.instructions);
  const entryPoints = written && existingEntryPoints(written, request);
  const paths = visibleFiles(contents.files).map((each) => each.path);
  const note = guideNote(metadata, { ...document, instructions }, paths, entryPoints);
  const code = codeOf(hasCommands(document), entryPoints, paths);
  return {
    ...metadata,
    ...rest,
    instructions,
    ...(settings === undefined ? {} : { settings: settingsNames(settings, origin) }),
    guide_note: note,
    ...(code === undefined ? {} : { code }),
    kind: "document",
    origin,
    hash: contents.hash,
    tools: [],
    files: createSkillFiles(contents.files, root),
  };
}

/** The settings of another skill are not for a stranger to claim: an installed one is known by its id alone. */
function settingsNames(settings: SkillSettingsNames, origin: SkillOrigin): SkillSettingsNames {
  const { key: _, ...others } = settings;
  return isInstalled({ origin }) ? others : settings;
}

function codeOf(
  has_commands: boolean,
  entry_points: SkillCode["entry_points"],
  paths: readonly string[],
): SkillCode | undefined {
  if (!has_commands && entry_points === undefined && !paths.some(isScript)) return undefined;
  return {
    runs: "scripts",
    ...(has_commands && { has_commands }),
    ...(entry_points === undefined ? {} : { entry_points }),
  };
}

function existingEntryPoints(
  written: Record<string, string>,
  { contents, file, diagnostics }: DocumentSkillRequest,
): Record<string, string> {
  const paths = new Map(contents.files.map((each) => [pathForm(each.path), each.path]));
  const entries = Object.entries(written).map(([name, target]): [string, string] => {
    const normal = path.posix.normalize(pathForm(target));
    return [name, paths.get(normal) ?? normal];
  });
  const known = new Set(paths.values());
  for (const [name, target] of entries.filter((entry) => !known.has(entry[1]))) {
    const message = `The entry point ${name} is left out: ${target} is not a file of the skill.`;
    diagnostics.push(caution(file, "entry_point_missing", message));
  }
  return Object.fromEntries(entries.filter(([, target]) => known.has(target)));
}
