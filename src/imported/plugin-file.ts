import path from "node:path";
import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { readJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import {
  type Diagnostic,
  type FormattedFolder,
  type SkillAbout,
  type SkillMetadata,
  skillMetadataSchema,
} from "../core/skill/skill.ts";
import type { JsonObject } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";
import { type PluginParameters, readParameters } from "./plugin-parameters.ts";

/** Characters of a plugin.json. */
const maxManifest = 262_144;

/** A plugin.json of AnythingLLM (schema skill-1.0.0, read as its loader does, which checks nothing), as of 1.16. */
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

/** Reads a plugin.json tolerantly: only a file that holds no JSON object is not loaded. */
export function readPlugin({ text, origin }: Pick<FormattedFolder, "text" | "origin">): ReadPlugin {
  const file = path.join(origin.path, "plugin.json");
  const diagnostics: Diagnostic[] = [];
  const say = (severity: Diagnostic["severity"], code: string, message: string): void => {
    diagnostics.push({ path: file, severity, code, message });
  };
  const refuse = (code: string, message: string): ReadPlugin => {
    say("error", code, message);
    return { plugin: undefined, diagnostics };
  };
  if (text === undefined) return refuse("unreadable", "It cannot be read as UTF-8 text. Save it as UTF-8.");
  if (text.length > maxManifest) return refuse("manifest_too_large", "It is larger than 256 KB. Shorten it.");
  const read = readJsonObject(text);
  if (read === undefined) return refuse("invalid_json", "It holds no JSON object. Export the skill again.");
  if (read.repaired)
    say(
      "warning",
      "repaired_json",
      "It is not plain JSON and was repaired to be read. Check its commas and quotes.",
    );
  return { plugin: toPlugin(read.value, path.basename(origin.path), say), diagnostics };
}

type Say = (severity: Diagnostic["severity"], code: string, message: string) => void;

function toPlugin(config: JsonObject, folderName: string, say: Say): Plugin {
  const id = identify(config, folderName, say);
  const name = textOf(config.name) ?? id;
  const { entrypoint } = config;
  if (!isRecord(entrypoint)) {
    say("warning", "missing_entrypoint", "It has no entrypoint, so the skill has no parameters.");
  } else if (textOf(entrypoint.file) !== undefined && !/^(\.\/)?handler\.js$/.test(String(entrypoint.file))) {
    say(
      "warning",
      "entrypoint_file",
      `Its entrypoint names ${entrypoint.file}; handler.js is run, as in AnythingLLM.`,
    );
  }
  const parameters = readParameters(isRecord(entrypoint) ? entrypoint.params : undefined);
  for (const problem of parameters.problems) say("warning", "invalid_parameter", problem);
  const description = textOf(config.description);
  if (description === undefined) {
    say(
      "warning",
      "missing_description",
      "It has no description. Write what the skill does and when to use it.",
    );
  }
  const metadata = skillMetadataSchema.parse({
    ...{ id, name, parameters: parameters.parameters, examples: readExamples(config.examples, say) },
    description: description ?? `The imported skill ${name}`,
    version: textOf(config.version) ?? "1.0.0",
    author: textOf(config.author) ?? "",
    tags: ["imported"],
    risk: "medium",
    enabled: config.active === true || config.active === "true",
  });
  const [license, homepage] = [textOf(config.license), textOf(config.author_url)];
  return {
    ...{ metadata, parameters, config },
    about: { ...(license && { license }), ...(homepage && { homepage }) },
  };
}

/** A letter or digit of any script, then also dots, hyphens and underscores. */
const idPattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,199}$/u;

/** The hub id is what other files name the skill by, so it wins over the folder's name. */
function identify(config: JsonObject, folderName: string, say: Say): string {
  const hubId = textOf(config.hubId)?.replace(/^@@/, "");
  if (hubId !== undefined && idPattern.test(hubId)) {
    if (hubId !== folderName)
      say(
        "warning",
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
  say(
    "warning",
    "missing_hub_id",
    `It has no hubId that can be used; it is loaded as ${id}, after its folder.`,
  );
  return id;
}

const examplesSchema = z.array(z.looseObject({ prompt: z.string(), call: jsonSchema.optional() }));

function readExamples(written: unknown, say: Say): SkillMetadata["examples"] {
  if (written === undefined || written === null) return [];
  const parsed = examplesSchema.safeParse(written);
  if (!parsed.success) {
    say("warning", "invalid_examples", "Its examples are left out: a list of {prompt, call} is expected.");
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
 * The object a text holds: JSON; where the text is short, JSON with mistakes too; or the first of these with other text around it.
 * `repaired` says that it was not plain JSON.
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
