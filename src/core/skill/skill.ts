import { z } from "zod";
import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { JsonSchema } from "../values/json.ts";
import { jsonSchema } from "../values/json-schema.ts";
import { toolCategories } from "../values/profile.ts";
import type { SkillAgent } from "./agent-tools.ts";
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

/** The parameters described by a JSON Schema object, in the order of its properties. */
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
      default: property.default,
      enum: Array.isArray(property.enum) ? property.enum : undefined,
    };
  });
}

export const skillKindSchema = z.enum(["builtin", "document", "imported", "flow", "mcp", "config"]);
type SkillKind = z.infer<typeof skillKindSchema>;

/**
 * What turns of a channel may lack, whatever the machine: a model that writes, services that make pictures or search the web, a sandbox
 * for code, a store for skills made in the chat; messages of the channel to read, other people, and a platform on which the bot can post
 * and change messages.
 */
export const meanSchema = z.enum([
  "model",
  "images",
  "search",
  "code",
  "teaching",
  "messages",
  "people",
  "posting",
]);
export type Mean = z.infer<typeof meanSchema>;

/** Where a key is put into requests. */
const keyPlaceSchema = z.object({
  /** A name or an address, with `:port` for ports other than 443. Only requests over TLS get the key. */
  host: z
    .string()
    .toLowerCase()
    .regex(
      /^(?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d{1,5})?$/,
      "expected a host, as api.example.com or api.example.com:8443",
    )
    .transform((host) => host.replace(/:443$/, "")),
  /** `X-Api-Key`, or with what surrounds the key: `Authorization: Bearer {key}`. */
  header: z
    .string()
    .max(200)
    .regex(
      /^(?!host\b|content-|transfer-|connection\b)[a-z][a-z0-9-]*(?:: [ -z|~]*\{key\}[ -z|~]*)?$/i,
      "expected a header, as X-Api-Key or Authorization: Bearer {key}",
    ),
});
export type KeyPlace = z.infer<typeof keyPlaceSchema>;

/** Requirements of a skill. */
export const requirementsSchema = z.object({
  /** All of these. A skill that works without one does not list it. */
  means: z.array(meanSchema).optional(),
  /** All of these programs on the PATH. */
  bins: z.array(z.string()).default([]),
  /** At least one of these. */
  anyBins: z.array(z.string()).default([]),
  /** Environment variables that must be set. */
  env: z.array(z.string()).default([]),
  /**
   * Those of the variables that are keys for one host: in the sandbox the code has a placeholder, and the key is put into the header on
   * the way out.
   */
  keys: z.record(z.string(), keyPlaceSchema).optional(),
  /** Dotted configuration paths that must be truthy. */
  config: z.array(z.string()).default([]),
  /** `linux`, `darwin`, `win32`; empty means any. */
  os: z.array(z.string()).default([]),
  /** Only `os` is checked; all other requirements count as met (OpenClaw). */
  always: z.boolean().optional(),
  /** How missing programs can be installed. Shown to people, never run. */
  install: z
    .array(z.object({ bins: z.array(z.string()), os: z.array(z.string()), command: z.string() }))
    .optional(),
});
export type Requirements = z.infer<typeof requirementsSchema>;

const exampleNeedSchema = z.enum([...meanSchema.options, "file", "history"]);
export type ExampleNeed = z.infer<typeof exampleNeedSchema>;

/** An example request, and its requirements. */
const skillExampleSchema = z.object({
  /** `{name}` is a slot for words that people choose, if `values` has the name. */
  prompt: z.string(),
  /** The arguments that the request leads to, as JSON; slots are filled. Empty if only a model can tell them. */
  call: z
    .union([z.string(), z.record(z.string(), z.json()).transform((given) => JSON.stringify(given))])
    .default(""),
  /** The part of the skill that is called, if it has several. */
  part: z.string().optional(),
  /** Words for the slots, with which the request is shown. */
  values: z.record(z.string(), z.string()).optional(),
  /** `file`: one in the thread; `history`: messages of people in the channel. */
  needs: z.array(exampleNeedSchema).optional(),
  /** One of the first examples that a newcomer should try. */
  first: z.boolean().optional(),
});

export type SkillExample = z.infer<typeof skillExampleSchema>;

/** An example as people read it, and can write it. */
export function promptOf({ prompt, values = {} }: SkillExample): string {
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, () => value),
    prompt,
  );
}

/** Whether an example works in a channel: a model understands it, or, where that is lacking, it has its call. */
export function isFollowed({ call }: SkillExample, lacking: readonly Mean[]): boolean {
  return !lacking.includes("model") || isRecord(parsedJson(call));
}

/** The plain data of a skill, the same for every source. */
export const skillMetadataSchema = z.object({
  /** Unique in the catalogue. A sub-skill is `parent#child`. */
  id: z.string().min(1).max(200),
  name: z.string().min(1),
  version: z.string().default("1.0.0"),
  description: z.string(),
  /** research, data, creative, automation or code; others are allowed. */
  category: z.string().default("automation"),
  /** Determines which agents have its tools (`Profile.tools`). */
  tool_category: z.enum(toolCategories).default("skill"),
  /** Open: its tools are available from the opening, like the agent's own. Models find other skills in a list. */
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

/** How a skill may be called; by default by people and the model alike. */
export interface Invocation {
  /** False: people cannot run it by command. */
  by_people: boolean;
  /** False: the model does not see it unless a person enabled it or requested it by name. */
  by_model: boolean;
  /** The tool or skill that gets `{command, commandName, skillName}` when a person runs this one; no model is involved. */
  command_tool?: string | undefined;
}

/** The origin of a skill. A higher `precedence` completely replaces a lower one with the same id. */
export interface SkillOrigin {
  /** `bundled`, `extra`, `managed`, `workspace`, … */
  source: string;
  precedence: number;
  /** Absolute path of the folder or file. */
  path: string;
  /** When the current files of a package were installed, ms since the epoch. Earlier permissions no longer count. */
  installed_at?: number;
}

/** Code of a skill that runs in the sandbox. */
export interface SkillCode {
  /**
   * `tools`: the code provides its tools, so the skill is unusable where the code cannot run. `scripts`: scripts and command lines that
   * accompany a guide, which can be read anywhere.
   */
  runs: "tools" | "scripts";
  /** True: its guide uses command lines. */
  has_commands?: boolean | undefined;
  /** Logical names of scripts: `{forecast: "scripts/forecast.py"}`. */
  entry_points?: Record<string, string> | undefined;
}

/** Names of a skill and its secret in the operator's settings. */
export interface SkillSettingsNames {
  /** An additional name in `skills.env` and `skills.disabled`: OpenClaw's `skillKey`. */
  key?: string | undefined;
  /** The variable that receives `apiKey` from its settings: OpenClaw's `primaryEnv`. */
  api_key_variable?: string | undefined;
}

/** Further information on a skill for people. */
export interface SkillAbout {
  /** What it does, one sentence of at most 100 characters. Without it people see the beginning of the description. */
  summary?: string | undefined;
  license?: string | undefined;
  homepage?: string | undefined;
  emoji?: string | undefined;
}

/**
 * The unit that people enable: metadata, guide, tools, files. Immutable after loading, so a running turn keeps the version it began with.
 */
export interface Skill extends SkillMetadata {
  kind: SkillKind;
  origin: SkillOrigin;
  /** sha256 over all of the skill's files, hex. */
  hash: string;
  /** The usage guide, Markdown. The model gets it on activation. */
  instructions: string;
  output_schema?: JsonSchema;
  /** The id of the skill that this one is a part of. */
  parent?: string;
  /** Other names of the skill, e.g. `flow_UUID`. Ids take precedence over them. */
  aliases?: readonly string[] | undefined;
  /** Why its current set-up does not work, one sentence for each reason, for people. Unlike a diagnostic, these prevent its use. */
  problems?: readonly string[] | undefined;
  /**
   * Set while its tools are not known yet: continues to determine them. Resolves, and never rejects, when they are known or unavailable; a
   * new catalogue then has them.
   */
  ready?: (() => Promise<void>) | undefined;
  /** Tools that appear once the skill is active. A document skill has none of its own. */
  tools: readonly Tool[];
  files?: SkillFiles;
  invocation?: Invocation | undefined;
  /** Set for a skill that is an agent where people enable it. */
  agent?: SkillAgent | undefined;
  settings?: SkillSettingsNames | undefined;
  /** Note for the model after the guide: how to read its files and run its scripts here. */
  guide_note?: string | undefined;
  /** Undefined if no part of it runs in the sandbox. */
  code?: SkillCode | undefined;
  about?: SkillAbout | undefined;
  /** Set for a skill that people made in the chat. */
  taught?: TaughtStanding;
}

/** Who has a skill that people made in the chat, besides the channels whose managers took it. */
interface TaughtStanding {
  /** The channel that made it. */
  home: string;
  /** Managers of other channels may take it. */
  offered: boolean;
  /** An operator gave this very text to all channels. */
  everyone: boolean;
}

/** The source of skills that people made in the chat. */
export const taughtSource = "taught";

/** Whether the skill was installed as a package. Its code and text are not trusted until a person enables it. */
export function isInstalled({ origin }: Pick<Skill, "origin">): boolean {
  return origin.source === "managed";
}

/** The source of flows that are run from a file: they exist only for that run and appear in no list. */
export const adHocSource = "ad-hoc";

/** A message about a source for people: skills that were not loaded or are replaced by others, and why. */
export interface Diagnostic {
  path: string;
  /** The affected skill, if one file contains several; undefined if all skills at the path are affected. */
  skill_id?: string;
  severity: "error" | "warning" | "info";
  /** Stable, e.g. `missing_description`. */
  code: string;
  message: string;
}

/** A diagnostic of a defect that prevents loading. */
export function defect(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "error", code, message };
}

/** A diagnostic of something that was loaded nevertheless. */
export function caution(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "warning", code, message };
}

/** A place that skills come from. `load` never throws: failures become diagnostics. */
export interface SkillSource {
  readonly id: string;
  /** The current skills. Cheap if nothing has changed: the same array object is then returned, so that callers can compare by identity. */
  load(): Promise<LoadedSkills>;
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A format of skill folders without a SKILL.md, recognised by two files in the same folder. */
export interface FolderFormat {
  /** Name of the file that describes the skill, e.g. `plugin.json`. */
  manifest: string;
  /** Name of the file with its code, e.g. `handler.js`. */
  code: string;
  /** Never throws: failures become diagnostics. */
  load(folder: FormattedFolder): LoadedSkills;
}

export interface FormattedFolder {
  origin: SkillOrigin;
  /** sha256 over all files, hex. */
  hash: string;
  /** The manifest; undefined if it cannot be read as UTF-8. */
  text: string | undefined;
  files: SkillFiles;
}

/** Makes skills with tools from packages whose SKILL.md has `skill_type: tool`. */
export interface ToolPackages {
  /**
   * The skill with the tools that its module exports, followed by its parts; undefined if it has no such module. Never throws. The tools
   * are determined by running the module in the sandbox, once for each version, and for an installed package only after a person has
   * enabled it. Until then `complete` is false and the skill has no tools.
   */
  load(skill: Skill): Promise<LoadedToolPackage | undefined>;
}

export interface LoadedToolPackage {
  skills: readonly Skill[];
  diagnostics: readonly Diagnostic[];
  complete: boolean;
}
