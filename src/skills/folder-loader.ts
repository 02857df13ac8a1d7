import path from "node:path";
import { z } from "zod";
import { plainText } from "../base/decode-text.ts";
import { errorText } from "../base/error-text.ts";
import { few } from "../base/markdown-text.ts";
import { isOwnSkill, skillDocument } from "../base/skill-places.ts";
import { type SkillDefinition, type SkillModule, toJsonSchema } from "../core/skill/define-skill.ts";
import {
  caution,
  type Diagnostic,
  defect,
  isInstalled,
  parametersOf,
  type Skill,
  type SkillOrigin,
  type ToolPackages,
} from "../core/skill/skill.ts";
import type { Tool } from "../core/skill/tool.ts";
import type { FoundFolder } from "./discover.ts";
import { readSkillDocument } from "./document/skill-document.ts";
import { createDocumentSkill } from "./document-skill.ts";
import { importModule, moduleName } from "./import-module.ts";
import type { FolderContents } from "./read-contents.ts";
import type { FolderScan } from "./scan-folder.ts";
import { createSkillTools, partId } from "./skill-tools.ts";

/** Maximum bytes of a SKILL.md, as OpenClaw limits it. */
const maxDocument = 256 * 1024;

/** One folder, loaded. `skills` is empty, or the skill followed by its parts. */
export interface LoadedFolder {
  hash: string;
  skills: readonly Skill[];
  diagnostics: readonly Diagnostic[];
  /** False: it is loaded again the next time, because something was not known yet. */
  complete?: boolean;
}

export interface FolderToLoad {
  folder: FoundFolder;
  scan: FolderScan;
  contents: FolderContents;
  origin: SkillOrigin;
  /** The real path of the source's root. */
  root: string;
  importModules: boolean;
  toolPackages?: ToolPackages | undefined;
}

/** Creates the skill of a folder. Never throws: what cannot be loaded is a diagnostic. */
export async function loadFolder(request: FolderToLoad): Promise<LoadedFolder> {
  const { folder, contents } = request;
  const file = path.join(folder.path, folder.document);
  const failed = (...diagnostics: Diagnostic[]) => ({ hash: contents.hash, skills: [], diagnostics });
  const text = readDocumentText(request, file);
  if (typeof text !== "string") return failed(text);
  const { document, diagnostics } = readSkillDocument(text, file, path.basename(folder.path));
  diagnostics.push(...contents.diagnostics, ...innerSkills(request));
  if (document === undefined) return failed(...diagnostics);
  const skill = createDocumentSkill({ ...request, file, diagnostics }, document);
  const asTools = document.tool_type && (await loadTools(request, skill, document.tool_type, diagnostics));
  if (asTools !== undefined) return asTools;
  const hasModule = contents.files.some((each) => each.path === moduleName);
  if (!hasModule) return { hash: contents.hash, skills: [skill], diagnostics };
  if (!request.importModules) {
    const message = `${moduleName} is not run: only skills that ship with the bot have code in it. The skill is loaded as a guide.`;
    diagnostics.push(caution(path.join(folder.path, moduleName), "module_not_imported", message));
    return { hash: contents.hash, skills: [skill], diagnostics };
  }
  try {
    const module = await importSkillModule(folder.path, contents.hash);
    return { hash: contents.hash, skills: createBuiltInSkills(skill, module), diagnostics };
  } catch (error) {
    const reason = errorText(error);
    const message = `The code of the skill cannot be loaded: ${reason}`;
    return failed(...diagnostics, defect(path.join(folder.path, moduleName), "module_failed", message));
  }
}

/** A line about skills inside this one, which are its files only. Installing takes each, so an installed skill gets none. */
function innerSkills({ folder, contents, origin }: FolderToLoad): Diagnostic[] {
  if (isInstalled({ origin })) return [];
  const inner = contents.files.flatMap(({ path: file }) => {
    const [name, place] = [path.posix.basename(file), path.posix.dirname(file)];
    return skillDocument([name]) !== undefined && place !== "." && isOwnSkill(place) ? place : [];
  });
  if (inner.length === 0) return [];
  const message = `The skills inside it (${few(inner, 5)}) are files of this one. Move their folders beside it, or install the whole folder with \`knack skills install\`, which takes each of them.`;
  return [caution(folder.path, "inner_skills", message)];
}

/** The tools of a package that declares some; undefined, with the reason in `diagnostics`, if it is only a guide. */
async function loadTools(
  { folder, contents, toolPackages }: FolderToLoad,
  skill: Skill,
  type: string,
  diagnostics: Diagnostic[],
): Promise<LoadedFolder | undefined> {
  const loaded = await toolPackages?.load(skill);
  if (loaded !== undefined) {
    return { ...loaded, hash: contents.hash, diagnostics: [...diagnostics, ...loaded.diagnostics] };
  }
  const message =
    toolPackages === undefined
      ? `skill_type is ${type}, but the modules of skill packages are not run in the bot: it is loaded as a guide with scripts.`
      : noToolModule(skill, contents);
  diagnostics.push(caution(path.join(folder.path, folder.document), "tool_module_not_run", message));
  return undefined;
}

/** A package's module of tools in another language. */
const otherModule = /^(?:__init__|tools?|main|index)\.(?:py|[cm]?ts|rb|go|php|sh)$/;

/** Why a package of tools is a guide, and which parts of it work. */
function noToolModule({ code }: Skill, { files }: FolderContents): string {
  const named = code?.entry_points?.tool ?? code?.entry_points?.main;
  const module = named ?? files.find((each) => otherModule.test(each.path))?.path;
  const why =
    module === undefined
      ? "it has no tool.js, index.js or entry point `tool`"
      : `${module} is not JavaScript, and of tool modules only JavaScript is run`;
  return `It says it is a tool, but ${why}. It is loaded as a guide: the agent reads it and runs its scripts with run_skill_script.`;
}

function readDocumentText({ folder, scan, contents }: FolderToLoad, file: string): string | Diagnostic {
  const scanned = scan.files.find((each) => each.path === folder.document);
  if (scanned !== undefined && scanned.bytes > maxDocument) {
    const message = `It has ${scanned.bytes} bytes; at most ${maxDocument} are read. Move parts of it to files it refers to.`;
    return defect(file, "document_too_large", message);
  }
  if (contents.document === undefined) {
    return defect(file, "unreadable", "The file cannot be read. Check its permissions.");
  }
  return plainText(contents.document) ?? defect(file, "binary", "It is not UTF-8 text. Save it as UTF-8.");
}

/**
 * Imports the code of a shipped skill.
 * @throws what the module throws, or a TypeError when it does not export `skill`.
 */
async function importSkillModule(folder: string, hash: string): Promise<SkillModule> {
  const parsed = moduleSchema.safeParse(await importModule(folder, hash));
  if (!parsed.success) throw new TypeError(`${moduleName} does not export \`skill\` made with defineSkill`);
  return parsed.data.skill;
}

const definitionSchema = z.custom<SkillDefinition>(
  (value) =>
    value !== null &&
    typeof value === "object" &&
    "run" in value &&
    "parameters" in value &&
    "output" in value,
);
const moduleSchema = z.object({
  skill: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("single"), definition: definitionSchema }),
    z.object({ kind: z.literal("parts"), parts: z.record(z.string(), definitionSchema) }),
  ]),
});

/**
 * A document skill with its code: the built-in skill first, then its parts. The parent has the tools of all parts.
 * @throws when a zod type of a definition has no JSON Schema.
 */
function createBuiltInSkills(document: Skill, module: SkillModule): Skill[] {
  const tools = createSkillTools(document, module);
  // Its code needs no explanation of its folder for the model.
  const { guide_note: _, ...own } = document;
  const parent: Skill = { ...own, kind: "builtin", tools };
  if (module.kind === "single") return [{ ...parent, ...interfaceOf(module.definition) }];
  const parts = Object.entries(module.parts).map(([part, definition], at) =>
    createPart(parent, part, definition, tools.slice(at, at + 1)),
  );
  return [parent, ...parts];
}

function createPart(parent: Skill, part: string, definition: SkillDefinition, tools: readonly Tool[]): Skill {
  const { summary: _, ...about } = parent.about ?? {};
  return {
    ...parent,
    about,
    id: partId(parent.id, part),
    name: `${parent.name}: ${part}`,
    description: definition.description ?? parent.description,
    examples: [],
    requires: { ...parent.requires, means: [...(parent.requires.means ?? []), ...(definition.means ?? [])] },
    aliases: definition.aliases ?? parent.aliases,
    parent: parent.id,
    tools,
    ...interfaceOf(definition),
  };
}

function interfaceOf(definition: SkillDefinition): Pick<Skill, "parameters" | "output_schema"> {
  return {
    parameters: parametersOf(toJsonSchema(definition.parameters.strict())),
    output_schema: toJsonSchema(definition.output),
  };
}
