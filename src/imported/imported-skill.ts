import path from "node:path";
import { once } from "../base/made-once.ts";
import { cutText } from "../base/markdown-text.ts";
import { isRecord } from "../base/record.ts";
import type { FormattedFolder, Skill } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import { createRedactor } from "../core/values/redact.ts";
import { type ImportedCode, type ImportedMeans, importedTool } from "./call-imported.ts";
import { hostsInCode, hostsOfAddresses } from "./code-hosts.ts";
import type { ToHost } from "./host/protocol.ts";
import type { Plugin } from "./plugin-file.ts";

/** Maximum characters of a tool's description. */
export const maxDescription = 2_000;

/** An imported skill: one tool with its code in handler.js. `settings` are those of the operator. */
export function createImportedSkill(
  plugin: Plugin,
  { origin, hash, files }: FormattedFolder,
  settings: Readonly<Record<string, string>>,
  means: ImportedMeans,
): Skill {
  const { metadata, config, parameters: _, ...rest } = plugin;
  const setupArguments = readSetupArguments(config.setup_args, settings);
  const problems = setupArguments.missing.map((name) => {
    const file = path.join(origin.path, "plugin.json");
    return `Its argument ${name} has no value; set skills.env.${metadata.id}.${name} in the configuration, or its value in ${file}.`;
  });
  const skill: Skill = {
    ...metadata,
    ...rest,
    kind: "imported",
    code: { runs: "tools" },
    origin,
    hash,
    files,
    tools: [],
    instructions: guideOf(plugin),
    ...(problems.length === 0 ? {} : { problems }),
  };
  const code: ImportedCode = {
    skill,
    env: settings,
    setup: setupOf(plugin, setupArguments),
    redact: createRedactor(setupArguments.secrets),
    hosts: once(async () => {
      const given = hostsOfAddresses(Object.values(setupArguments.values).join(" "));
      return [...new Set([...(await hostsInCode(files)), ...given])];
    }),
  };
  const { schema, open } = plugin.parameters;
  const taken = { schema, parameters: open ? undefined : plugin.parameters.parameters };
  const described = { ...skill, description: cutText(metadata.description, maxDescription) };
  return { ...skill, tools: [importedTool(means, code, described, taken)] };
}

function setupOf({ metadata, config, parameters }: Plugin, { values }: SetupArguments): ToHost {
  const { id, description } = metadata;
  const { properties = {} } = parameters.schema;
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties };
  const examples: Json[] = Array.isArray(config.examples) ? config.examples : [];
  const hosted = { name: id, description, config, examples, runtimeArgs: values };
  return {
    type: "setup",
    skill: { ...hosted, parameters: { ...schema, additionalProperties: parameters.open } },
  };
}

/** The instructions that a model reads when it activates the skill. */
function guideOf({ metadata }: Plugin): string {
  const examples = metadata.examples
    .slice(0, 5)
    .map(({ prompt, call }) => `- "${prompt}"${call && ` → \`${call}\``}`);
  const shown =
    examples.length === 0
      ? ""
      : `\n\nExamples of requests and the arguments they lead to:\n\n${examples.join("\n")}`;
  return `Call the tool ${toToolName(metadata.id)}. ${metadata.description}${shown}`;
}

interface SetupArguments {
  /** `this.runtimeArgs`. A required argument without a value is absent, an optional one is null, as in AnythingLLM. */
  values: JsonObject;
  /** Names of required arguments without a value. */
  missing: string[];
  /** Values to hide: those of password fields, and of arguments with key, token, secret or password in their name. */
  secrets: string[];
}

/**
 * The values of a plugin.json's `setup_args`: the operator's setting, else `value`, else `default`. Unlike in AnythingLLM, `false` and
 * `0` are values. An empty text, which forms often contain, is replaced by a default and does not count for a required argument.
 */
function readSetupArguments(
  setupArgs: Json | undefined,
  settings: Readonly<Record<string, string>>,
): SetupArguments {
  const values: JsonObject = {};
  const missing: string[] = [];
  const secrets: string[] = [];
  for (const [name, written] of Object.entries(isRecord(setupArgs) ? setupArgs : {})) {
    const argument = isRecord(written) ? written : { value: written };
    const set = settings[name];
    const given = set === undefined ? argument.value : typed(set, argument.type);
    const value = [given, argument.default, given].find(
      (each, at) => isValue(each) || (at === 2 && each === ""),
    );
    if (argument.required === true && !isValue(value)) missing.push(name);
    else values[name] = value ?? null;
    if (typeof value === "string" && isSecret(name, argument.input)) secrets.push(value);
  }
  return { values, missing, secrets };
}

function isSecret(name: string, input: Json | undefined): boolean {
  return /key|token|secret|passw/i.test(name) || (isRecord(input) && input.type === "password");
}

function isValue(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}

/** Settings are text; arguments have types. */
function typed(text: string, type: Json | undefined): Json {
  if (type === "boolean") return ["true", "1", "yes", "on"].includes(text.trim().toLowerCase());
  const number = Number(text);
  return type === "number" && text.trim() !== "" && Number.isFinite(number) ? number : text;
}
