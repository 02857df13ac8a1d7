import { z } from "zod";
import type { JsonSchema } from "../values/json.ts";
import { jsonSchema } from "../values/json-schema.ts";
import { toolCategories } from "../values/profile.ts";
import type { Tool } from "./tool.ts";

export const parameterSchema = z.object({
  name: z.string().min(1),
  type: z.enum(["string", "number", "boolean", "object", "array"]),
  description: z.string().default(""),
  required: z.boolean().default(true),
  default: jsonSchema.optional(),
  enum: z.array(jsonSchema).optional(),
});
/** One typed input of a skill. A parameter with a default is never required. */
export type Parameter = z.infer<typeof parameterSchema>;

/** The parameters a JSON Schema object describes, in the order of its properties. */
export function parametersOf(schema: JsonSchema): Parameter[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(properties).map(([name, property]) => {
    const type = property.type === "integer" ? "number" : property.type;
    const known = parameterSchema.shape.type.safeParse(type);
    return {
      name,
      type: known.success ? known.data : "string",
      description: typeof property.description === "string" ? property.description : "",
      required: required.has(name) && property.default === undefined,
      ...(property.default === undefined ? {} : { default: property.default }),
      ...(Array.isArray(property.enum) ? { enum: property.enum } : {}),
    };
  });
}

export const skillKindSchema = z.enum(["builtin", "document", "imported", "flow", "mcp", "config"]);
export type SkillKind = z.infer<typeof skillKindSchema>;

/** What a bot may lack whatever its machine has: a model that writes, a service that makes pictures. */
export const meanSchema = z.enum(["model", "images"]);
export type Mean = z.infer<typeof meanSchema>;

/** What must be there before a skill can work. */
export const requirementsSchema = z.object({
  /** All of these; a skill that can do without one does not name it. */
  means: z.array(meanSchema).optional(),
  /** All of these programs on the PATH. */
  bins: z.array(z.string()).default([]),
  /** At least one of these. */
  anyBins: z.array(z.string()).default([]),
  /** Environment variables that must be set. */
  env: z.array(z.string()).default([]),
  /** Dotted configuration paths that must be truthy. */
  config: z.array(z.string()).default([]),
  /** `linux`, `darwin`, `win32`; empty means any. */
  os: z.array(z.string()).default([]),
  /** Only `os` counts; the rest is taken to be there (OpenClaw). */
  always: z.boolean().optional(),
  /** How missing programs can be installed: told to people, never run. */
  install: z
    .array(z.object({ bins: z.array(z.string()), os: z.array(z.string()), command: z.string() }))
    .optional(),
});
export type Requirements = z.infer<typeof requirementsSchema>;

const exampleNeedSchema = z.enum([...meanSchema.options, "file", "history"]);
export type ExampleNeed = z.infer<typeof exampleNeedSchema>;

/** What somebody may say, and what has to be there for it to succeed. */
const skillExampleSchema = z.object({
  prompt: z.string(),
  call: z.string().default(""),
  /** `file`: one in the thread; `history`: messages of people in the channel. */
  needs: z.array(exampleNeedSchema).optional(),
  /** It is among the first things a newcomer should try. */
  first: z.boolean().optional(),
});

/** The plain data of a skill, the same for every source. */
export const skillMetadataSchema = z.object({
  /** Unique in the catalogue. A sub-skill is `parent#child`. */
  id: z.string().min(1).max(200),
  name: z.string().min(1),
  version: z.string().default("1.0.0"),
  description: z.string(),
  /** research, data, creative, automation or code; others are allowed. */
  category: z.string().default("automation"),
  /** Which agents have its tools (`Profile.tools`). */
  tool_category: z.enum(toolCategories).default("skill"),
  /** Its tools stand beside the agent's own: there from the opening, before those of other skills. */
  direct: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  author: z.string().default(""),
  parameters: z.array(parameterSchema).default([]),
  required_tools: z.array(z.string()).default([]),
  required_capabilities: z.array(z.string()).default([]),
  requires: requirementsSchema.prefault({}),
  examples: z.array(skillExampleSchema).default([]),
  risk: z.enum(["low", "medium", "high"]).default("low"),
  max_execution_seconds: z.number().positive().default(300),
  max_iterations: z.number().int().positive().default(10),
  enabled: z.boolean().default(true),
  /** Active in every namespace from the start. */
  active: z.boolean().default(false),
  /** `{server: [tool, …]}`; an empty list means all tools of that server. */
  tool_list: z.record(z.string(), z.array(z.string())).default({}),
});
export type SkillMetadata = z.infer<typeof skillMetadataSchema>;

/** Read access to a skill's folder. Paths are relative with forward slashes; hidden files are left out. */
export interface SkillFiles {
  list(): Promise<{ path: string; bytes: number }[]>;
  /** The text of a file, or why it cannot be read: missing, outside the folder, binary, too large, changed since. */
  read(path: string): Promise<{ ok: true; text: string } | { ok: false; message: string }>;
}

/** How a skill may be called; by people and the model alike where nothing is said. */
export interface Invocation {
  /** False: people cannot run it by command. */
  by_people: boolean;
  /** False: the model does not see it unless a person enabled it or asked for it by name. */
  by_model: boolean;
  /** The tool or skill that gets `{command, commandName, skillName}` when a person runs this one; no model takes part. */
  command_tool?: string;
}

/** Where a skill comes from. A higher `precedence` replaces a lower one with the same id, whole. */
export interface SkillOrigin {
  /** `bundled`, `extra`, `managed`, `workspace`, … */
  source: string;
  precedence: number;
  /** Absolute path of the folder or file. */
  path: string;
  /** When these very files of a package were installed, ms since the epoch. What was allowed before no longer counts. */
  installed_at?: number;
}

/** Code of a skill that runs in the sandbox. */
export interface SkillCode {
  /** Its tools: it cannot be used where they do not run. Or scripts and command lines beside a guide that can be read anywhere. */
  runs: "tools" | "scripts";
  /** True: its guide works with command lines. */
  has_commands?: boolean;
  /** Logical names of scripts: `{forecast: "scripts/forecast.py"}`. */
  entry_points?: Record<string, string>;
}

/** What the operator's settings call a skill and its secret. */
export interface SkillSettingsNames {
  /** A further name of it in `skills.env` and `skills.disabled`: OpenClaw's `skillKey`. */
  key?: string;
  /** The variable that gets `apiKey` of its settings: OpenClaw's `primaryEnv`. */
  api_key_variable?: string;
}

/** What a person may want to know of a skill besides what it does. */
export interface SkillAbout {
  license?: string;
  homepage?: string;
  emoji?: string;
}

/**
 * What people enable: metadata, guide, tools, files. A snapshot: it never changes after loading, so a running turn keeps
 * the version it began with.
 */
export interface Skill extends SkillMetadata {
  kind: SkillKind;
  origin: SkillOrigin;
  /** sha256 over all of the skill's files, hex. */
  hash: string;
  /** The usage guide, Markdown; given to the model on activation. */
  instructions: string;
  output_schema?: JsonSchema;
  /** The id of the skill this one is a part of. */
  parent?: string;
  /** Further names it goes by elsewhere, e.g. `flow_UUID`. An id wins over them. */
  aliases?: readonly string[];
  /** Why it cannot work as it is set up, one sentence each for a person; unlike a diagnostic these keep it from being used. */
  problems?: readonly string[];
  /**
   * Only while its tools are not known: goes on finding them out. Resolves, and never rejects, when they are known or cannot be
   * had; another catalogue has them then.
   */
  ready?: () => Promise<void>;
  /** Tools that appear once the skill is active. A document skill has none of its own. */
  tools: readonly Tool[];
  files?: SkillFiles;
  invocation?: Invocation;
  settings?: SkillSettingsNames;
  /** What a model is told after the guide: how its files are read and its scripts run here. */
  guide_note?: string;
  /** Undefined: nothing of it runs in the sandbox. */
  code?: SkillCode;
  about?: SkillAbout;
}

/** Whether somebody installed the skill: such code and text is trusted by nobody until a person enables it. */
export function isInstalled({ origin }: Pick<Skill, "origin">): boolean {
  return origin.source === "managed";
}

/** The source of flows that somebody runs from a file: kept for their run, and in no list. */
export const adHocSource = "ad-hoc";

/** Something about a source that a person should know: what was not loaded, what is shadowed, and why. */
export interface Diagnostic {
  path: string;
  /** Of which skill it tells, where one file holds several; undefined: of all that are at the path. */
  skill_id?: string;
  severity: "error" | "warning" | "info";
  /** Stable, e.g. `missing_description`. */
  code: string;
  message: string;
}

/** One place skills come from. `load` never throws: what cannot be loaded is a diagnostic. */
export interface SkillSource {
  readonly id: string;
  /**
   * The skills as they are now. Cheap when nothing changed: the same array object is answered then, so that callers can
   * compare by identity.
   */
  load(): Promise<LoadedSkills>;
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

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
