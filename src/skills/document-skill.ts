import { hash } from "node:crypto";
import path from "node:path";
import { pathForm } from "../base/file-kind.ts";
import { onOneLine } from "../base/text/invisible-text.ts";
import { folderRoot, skillFolder } from "../core/ports/working-folder.ts";
import {
  caution,
  type Diagnostic,
  isInstalled,
  type Skill,
  type SkillCode,
  type SkillOrigin,
  type SkillSettingsNames,
} from "../core/skill/skill.ts";
import type { ReadTaughtText } from "../core/skill/taught-skills.ts";
import { readSkillDocument, type SkillDocument } from "./document/skill-document.ts";
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

/** The skill that a SKILL.md makes of its folder: a guide, files and scripts. */
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
    settings: settings && settingsNames(settings, origin),
    guide_note: note,
    code,
    kind: "document",
    origin,
    hash: contents.hash,
    tools: [],
    files: createSkillFiles(contents.files, root),
  };
}

/** An installed skill must not claim the settings of another one: it is known by its id alone. */
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
  return { runs: "scripts", has_commands: has_commands || undefined, entry_points };
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

/** Maximum files and scripts that are listed; the tools return the others. */
const maxNamed = 40;

/**
 * Names of a skill's own folder in other agents: OpenClaw's, Claude Code's, and those of the plugin or extension that it came with, whose
 * files lie in it too. They become the variable that scripts have here.
 */
const skillFolders =
  /\$?\{baseDir\}|\$\{(?:CLAUDE_PLUGIN_ROOT|CLAUDE_SKILL_DIR|extensionPath)\}|\$CLAUDE_(?:PLUGIN_ROOT|SKILL_DIR)\b/g;

function withSkillFolder(guide: string): string {
  return guide.replace(skillFolders, "$KNACK_SKILL_DIR");
}

/** What a model has to know in addition to a guide that was written for another agent. */
function guideNote(
  { id }: Pick<Skill, "id">,
  document: SkillDocument,
  paths: readonly string[],
  entryPoints: Readonly<Record<string, string>> = {},
): string | undefined {
  const { instructions, allowed_tools = [] } = document;
  const files = paths.filter((path) => path.toLowerCase() !== "skill.md");
  const scripts = files.filter(isScript);
  const named = Object.entries(entryPoints).map(([name, path]) => `${name} (${path})`);
  const runnable = [...named, ...scripts.filter((path) => !Object.values(entryPoints).includes(path))];
  const lines: string[] = [];
  if (files.length > 0) lines.push(`read_skill_file(skill_name "${id}") reads its files: ${listed(files)}.`);
  if (runnable.length > 0) {
    lines.push(
      `run_skill_script(skill_name "${id}", script, args) runs one of its scripts: ${listed(runnable)}.`,
    );
  }
  if (instructions.includes("$KNACK_SKILL_DIR")) {
    lines.push(
      "$KNACK_SKILL_DIR is this skill's folder, read-only: leave it out of file_path and script, keep it in args and commands.",
    );
  }
  const works = files.length > 0 || hasCommands(document) || shellBlock.test(instructions);
  if (!works && allowed_tools.length === 0) return undefined;
  lines.push(
    `run_skill_script(skill_name "${id}", command) runs the guide's command lines as they stand (bash in a sandbox, no terminal); a here-document writes a file. Scripts, commands and run_code share ${folderRoot}, which keeps its files. The skill's own files are there too, read-only (scripts/…), unless the thread has an entry of that name: ${skillFolder(id)} has them always. People's files are in input, read-only; what is left in output ($KNACK_OUTPUT_DIR) the person gets.`,
  );
  lines.push(...expectedTools(allowed_tools));
  return ["How this guide works here:", ...lines].join("\n- ");
}

/** A code block for a shell, by its info string. */
const shellBlock = /^[ \t]*(?:```|~~~)[ \t]*(?:bash|sh|shell|zsh|console)\b/im;

/** Whether a file is run when it is named, by its ending. */
function isScript(path: string): boolean {
  return /\.(py|js|mjs|cjs|sh)$/i.test(path);
}

/** Whether a guide works with command lines: it names the programs it needs, or expects a shell. */
function hasCommands({
  allowed_tools = [],
  metadata: { requires },
}: Pick<SkillDocument, "allowed_tools" | "metadata">): boolean {
  const expectsShell = allowed_tools.some((tool) => /^(bash|shell|exec)\b/i.test(tool));
  return expectsShell || requires.bins.length + requires.anyBins.length > 0;
}

/** The tools of other agents, by name, and their equivalents for a skill here. */
const counterparts: Readonly<Record<string, string>> = {
  read: "read_skill_file",
  bash: "run_skill_script",
  shell: "run_skill_script",
  exec: "run_skill_script",
  skill: "activate_skill",
  askuserquestion: "ask_user",
};

function expectedTools(allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [];
  const names = [...new Set(allowed.map((tool) => tool.replace(/\(.*$/s, "")))].slice(0, maxNamed);
  const described = names.map((name) => {
    const key = name.toLowerCase();
    return Object.hasOwn(counterparts, key) ? `${plain(name)} (here ${counterparts[key]})` : plain(name);
  });
  return [`It expects the tools ${described.join(", ")}; you have only those you are offered.`];
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return names.slice(0, maxNamed).map(plain).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

/** The name must not begin a new line. */
function plain(name: string): string {
  return onOneLine(name).slice(0, 200);
}

/** Fields that only the bot's own skills and operators decide. */
const own = { active: false, direct: false, enabled: true } as const;

/** A SKILL.md that people wrote in the chat: a guide without files. */
export const readTaughtDocument: ReadTaughtText = (id, text, origin) => {
  const file = `${origin.path}/SKILL.md`;
  const { document, diagnostics } = readSkillDocument(text, file, id);
  if (document === undefined)
    return { ok: false, reason: diagnostics.map(({ message }) => message).join(" ") };
  const { tool_type: _, entry_points: __, settings: ___, ...rest } = document;
  const contents = { files: [], hash: hash("sha256", text, "hex"), document: undefined, diagnostics: [] };
  const request = { contents, origin, root: origin.path, file, diagnostics };
  const guide = { ...rest, metadata: { ...document.metadata, ...own, id } };
  return { ok: true, skill: createDocumentSkill(request, guide) };
};
