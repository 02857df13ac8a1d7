import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { readJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import {
  type Diagnostic,
  type FormattedFolder,
  type Parameter,
  type SkillAbout,
  type SkillMetadata,
  skillMetadataSchema,
} from "../core/skill/skill.ts";
import type { Json, JsonObject, JsonSchema } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";

/** Maximum characters of a plugin.json. */
const maxManifest = 262_144;

/** A plugin.json of AnythingLLM (schema skill-1.0.0), as of version 1.16, whose loader checks nothing. */
export interface Plugin {
  metadata: SkillMetadata;
  parameters: PluginParameters;
  /** The whole file, for `this.config`. */
  config: JsonObject;
  about: SkillAbout;
}

export interface ReadPlugin {
  plugin: Plugin | undefined;
  diagnostics: Diagnostic[];
}

/** Reads a plugin.json leniently: only a file without a JSON object is refused. */
export function readPlugin({ text, origin }: Pick<FormattedFolder, "text" | "origin">): ReadPlugin {
  const file = path.join(origin.path, "plugin.json");
  const diagnostics: Diagnostic[] = [];
  const warn = (code: string, message: string): void => {
    diagnostics.push({ path: file, severity: "warning", code, message });
  };
  const refuse = (code: string, message: string): ReadPlugin => {
    diagnostics.push({ path: file, severity: "error", code, message });
    return { plugin: undefined, diagnostics };
  };
  if (text === undefined) return refuse("unreadable", "It cannot be read as UTF-8 text. Save it as UTF-8.");
  if (text.length > maxManifest) return refuse("manifest_too_large", "It is larger than 256 KB. Shorten it.");
  const read = readJsonObject(text);
  if (read === undefined) return refuse("invalid_json", "It holds no JSON object. Export the skill again.");
  if (read.repaired)
    warn("repaired_json", "It is not plain JSON and was repaired to be read. Check its commas and quotes.");
  return { plugin: toPlugin(read.value, path.basename(origin.path), warn), diagnostics };
}

type Warn = (code: string, message: string) => void;

function toPlugin(config: JsonObject, folderName: string, warn: Warn): Plugin {
  const id = identify(config, folderName, warn);
  const name = textOf(config.name) ?? id;
  const { entrypoint } = config;
  if (!isRecord(entrypoint)) {
    warn(
      "missing_entrypoint",
      "It has no entrypoint: the skill takes any arguments, and models are told of none.",
    );
  } else if (textOf(entrypoint.file) !== undefined && !/^(\.\/)?handler\.js$/.test(String(entrypoint.file))) {
    warn("entrypoint_file", `Its entrypoint names ${entrypoint.file}; handler.js is run, as in AnythingLLM.`);
  }
  const parameters = readParameters(isRecord(entrypoint) ? entrypoint.params : undefined);
  for (const problem of parameters.problems) warn("invalid_parameter", problem);
  const description = textOf(config.description);
  if (description === undefined) {
    warn("missing_description", "It has no description. Write what the skill does and when to use it.");
  }
  const metadata = skillMetadataSchema.parse({
    id,
    name,
    parameters: parameters.parameters,
    examples: readExamples(config.examples, warn),
    description: description ?? `The imported skill ${name}`,
    version: textOf(config.version) ?? "1.0.0",
    author: textOf(config.author) ?? "",
    tags: ["imported"],
    risk: "medium",
    enabled: config.active === true || config.active === "true",
  });
  const [license, homepage] = [textOf(config.license), textOf(config.author_url)];
  return {
    metadata,
    parameters,
    config,
    about: { ...(license && { license }), ...(homepage && { homepage }) },
  };
}

/** A letter or digit of any script, followed by letters, digits, dots, hyphens and underscores. */
const idPattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,199}$/u;

/** The id of the skill. Other files refer to it by the hub id, which takes precedence over the folder's name. */
function identify(config: JsonObject, folderName: string, warn: Warn): string {
  const hubId = textOf(config.hubId)?.replace(/^@@/, "");
  if (hubId !== undefined && idPattern.test(hubId)) {
    if (hubId !== folderName)
      warn(
        "name_differs",
        `Its hubId is ${hubId}, its folder ${folderName}. AnythingLLM wants them to be the same; it is loaded as ${hubId}.`,
      );
    return hubId;
  }
  const id =
    folderName
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[._-]+/, "")
      .slice(0, 200) || "skill";
  warn("missing_hub_id", `It has no hubId that can be used; it is loaded as ${id}, after its folder.`);
  return id;
}

const examplesSchema = z.array(z.looseObject({ prompt: z.string(), call: jsonSchema.optional() }));

function readExamples(written: unknown, warn: Warn): SkillMetadata["examples"] {
  if (written === undefined || written === null) return [];
  const parsed = examplesSchema.safeParse(written);
  if (!parsed.success) {
    warn("invalid_examples", "Its examples are left out: a list of {prompt, call} is expected.");
    return [];
  }
  return parsed.data.map(({ prompt, call = "" }) => ({
    prompt,
    call: typeof call === "string" ? call : JSON.stringify(call),
  }));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/**
 * The JSON object of a text, which may have other text around it and, if it is short, mistakes. `repaired`: the text was not plain
 * JSON.
 */
function readJsonObject(text: string): { value: JsonObject; repaired: boolean } | undefined {
  const inner = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
  for (const candidate of [text, inner]) {
    const read = readJson(candidate, jsonrepair);
    if (read.ok && isRecord(read.value))
      return { value: read.value as JsonObject, repaired: read.lenient || candidate !== text };
  }
  return undefined;
}

interface PluginParameters {
  parameters: Parameter[];
  /** Whether the file says nothing about them: the handler gets any arguments, as in AnythingLLM. */
  open: boolean;
  /** The schema for models: that of plugin.json with a list of required parameters. */
  schema: JsonSchema;
  /** Problems, one sentence each. */
  problems: string[];
}

/** Names of types in plugin.json files. */
const types: readonly (readonly [Parameter["type"] | "integer", RegExp])[] = [
  ["string", /^(?:string|text|str)$/i],
  ["number", /^(?:number|float|double)$/i],
  ["integer", /^int(?:eger)?$/i],
  ["boolean", /^bool(?:ean)?$/i],
  ["object", /^object$/i],
  ["array", /^(?:array|list)$/i],
];

/**
 * Reads `entrypoint.params` of a plugin.json: properties by name or, in some files, a whole JSON Schema. AnythingLLM requires no
 * parameter; here a parameter with `required: true` and without a default is required.
 */
function readParameters(params: Json | undefined): PluginParameters {
  const problems: string[] = [];
  if (params !== undefined && params !== null && !isRecord(params)) {
    problems.push("entrypoint.params is not an object, so the skill has no parameters.");
  }
  const given = isRecord(params) ? params : {};
  const schema = isRecord(given.properties) && given.type === "object" ? given.properties : undefined;
  const properties = schema ?? given;
  const required = new Set(schema !== undefined && Array.isArray(given.required) ? given.required : []);
  const read = Object.entries(properties).map(([name, value]) => {
    const property = readProperty(name, value, problems);
    const wanted = property.parameter.required || required.has(name);
    property.parameter.required = wanted && property.parameter.default === undefined;
    return property;
  });
  const names = read.filter(({ parameter }) => parameter.required).map(({ parameter }) => parameter.name);
  const open = params === undefined || params === null;
  return {
    parameters: read.map(({ parameter }) => parameter),
    open,
    schema: {
      type: "object",
      properties: Object.fromEntries(read.map(({ parameter, schema }) => [parameter.name, schema])),
      ...(names.length > 0 ? { required: names } : {}),
      additionalProperties: open,
    },
    problems,
  };
}

function readProperty(
  name: string,
  value: Json,
  problems: string[],
): { parameter: Parameter; schema: JsonSchema } {
  if (!isRecord(value) && typeof value !== "string") {
    problems.push(`The parameter ${name} is neither an object nor text; it is taken for text.`);
  }
  const { required, ...raw } = isRecord(value) ? value : { description: value };
  const type = typeOf(name, raw.type, problems);
  const description = typeof raw.description === "string" ? raw.description : "";
  const choices = Array.isArray(raw.enum) && raw.enum.length > 0 ? { enum: raw.enum } : {};
  if (raw.enum !== undefined && choices.enum === undefined) {
    problems.push(`The choices (enum) of the parameter ${name} are not a list and are left out.`);
  }
  const preset = raw.default === undefined || raw.default === null ? {} : { default: raw.default };
  const { enum: _enum, default: _default, ...rest } = raw;
  return {
    parameter: {
      name,
      description,
      type: type === "integer" ? "number" : type,
      required: required === true,
      ...preset,
      ...choices,
    },
    schema: {
      ...rest,
      type,
      description,
      ...choices,
      ...preset,
      // Some providers refuse arrays without `items`.
      ...(type === "array" && raw.items === undefined ? { items: {} } : {}),
    },
  };
}

function typeOf(name: string, written: unknown, problems: string[]): Parameter["type"] | "integer" {
  const all = Array.isArray(written) ? written : [written];
  const known = all
    .map((each) => types.find(([, words]) => words.test(String(each)))?.[0])
    .find((each) => each !== undefined);
  if (known === undefined && written !== undefined) {
    problems.push(
      `The parameter ${name} has the unknown type ${JSON.stringify(written)}; it is taken for text.`,
    );
  }
  return known ?? "string";
}

export interface PluginVerdict {
  valid: boolean;
  /** Problems that prevent the skill from running. */
  errors: string[];
  /** Parts that were read differently than written, or are missing without harm. */
  warnings: string[];
}

/** Checks a folder with a plugin.json as an agent skill of AnythingLLM; undefined for a folder without a plugin.json. */
export async function validatePlugin(directory: string): Promise<PluginVerdict | undefined> {
  const file = path.join(directory, "plugin.json");
  if (!(await isFile(file))) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  const origin = { source: "validate", precedence: 0, path: path.resolve(directory) };
  const { diagnostics } = readPlugin({ text, origin });
  const found = (severity: "error" | "warning") =>
    diagnostics.filter((each) => each.severity === severity).map(({ message }) => `plugin.json: ${message}`);
  const hasCode = await isFile(path.join(directory, "handler.js"));
  const errors = [...found("error"), ...(hasCode ? [] : ["Missing required file: handler.js"])];
  return { valid: errors.length === 0, errors, warnings: found("warning") };
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
