import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigError } from "./config-error.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { type ConfigSources, configKeys, keysWithin } from "./config-keys.ts";
import {
  configFileVariable,
  type Environment,
  type EnvironmentValue,
  misspeltVariables,
  readEnvironment,
} from "./environment.ts";
import { type Layer, mergeLayers, nest, setter, valueAt } from "./layer.ts";
import { shippedFile } from "./meanings.ts";
import { modelProviders, usualModelFor } from "./model-providers.ts";
import { providerPath } from "./provider-presets.ts";
import { type Config, configSchema } from "./schema.ts";
import { plainError, schemaProblems } from "./schema-problems.ts";
import { settingsWithoutEffect } from "./settings-without-effect.ts";

export interface LoadConfigOptions {
  /** The file of `--config`. It takes precedence over `KNACK_CONFIG`, and that over `knack.yaml` in `cwd`. */
  file?: string | undefined;
  env: Environment;
  /** The base of relative paths. */
  cwd: string;
  /** Values of command line options by dotted key, e.g. `{"server.port": 8080}`. They override everything. */
  options?: Readonly<Record<string, unknown>>;
  /** The file with the lowest precedence; the shipped one by default. */
  shippedFile?: string;
}

export interface LoadedConfig {
  config: Config;
  /** By dotted key. */
  sources: ConfigSources;
}

/** The file in the working directory, if neither `--config` nor `KNACK_CONFIG` names one. */
const ownFile = "knack.yaml";

/**
 * The effective configuration: defaults < config/knack.yaml < `--config`, `KNACK_CONFIG` or `knack.yaml` in the working directory <
 * environment < options.
 * @throws ConfigError that lists all problems, including settings without effect
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const layers = await readLayers(options);
  const misspelt = misspeltVariables(options.env);
  const parsed = configSchema.safeParse(mergeLayers(layers), { error: plainError });
  if (!parsed.success) throw new ConfigError([...schemaProblems(parsed.error, layers), ...misspelt]);
  const { config, choiceKey } = resolve(parsed.data, options.cwd);
  const problems = [...misspelt, ...settingsWithoutEffect(config, layers)];
  if (problems.length > 0) throw new ConfigError(problems);
  return { config, sources: sourcesOf(config, layers, choiceKey) };
}

async function readLayers(given: LoadConfigOptions): Promise<Layer[]> {
  const { file, env, cwd, options = {}, shippedFile: lowest = shippedFile } = given;
  const chosen =
    file ?? (env[configFileVariable] || (existsSync(path.join(cwd, ownFile)) ? ownFile : undefined));
  const variables = readEnvironment(env);
  const flags = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ path: key.split("."), value }));
  const base = fileLayer(await readConfigFile(lowest, cwd));
  const own = chosen === undefined ? [] : [fileLayer(await readConfigFile(path.resolve(cwd, chosen), cwd))];
  return [
    { values: configSchema.parse({}), source: () => "default", deliberate: false },
    environmentLayer(variables.filter(({ yields }) => yields)),
    base,
    ...own,
    environmentLayer(variables.filter(({ yields }) => !yields)),
    { values: nest(flags), source: optionName, deliberate: true },
  ];
}

function optionName(key: readonly PropertyKey[]): string {
  return `option --${String(key.at(-1)).replaceAll("_", "-")}`;
}

function fileLayer(file: ConfigFile): Layer {
  return { values: file.values, source: (key) => `file ${file.locate(key)}`, deliberate: true };
}

function environmentLayer(variables: readonly EnvironmentValue[]): Layer {
  return { values: nest(variables), source: (key) => variableSource(variables, key), deliberate: false };
}

function variableSource(variables: readonly EnvironmentValue[], key: readonly PropertyKey[]): string {
  const dotted = key.join(".");
  const found = variables.findLast((candidate) => `${dotted}.`.startsWith(`${candidate.path.join(".")}.`));
  return `environment ${found?.variable ?? ""}`.trim();
}

/** Makes folders absolute and picks the models for `auto` by the available keys. */
function resolve(config: Config, cwd: string): { config: Config; choiceKey: readonly string[] | undefined } {
  const { model, data, workspace, skills, mcp } = config;
  const auto = model.choice === "auto" ? pickModel(model) : undefined;
  const choice = auto?.choice ?? model.choice;
  const asked = [choice, ...model.failover];
  const other = (work: Parameters<typeof usualModelFor>[0], wanted: string) =>
    wanted === "auto" ? (usualModelFor(work, asked, model) ?? "off") : wanted;
  const others = {
    transcription: other("transcriptionModel", model.transcription),
    images: other("imageModel", model.images),
    embeddings: other("embeddingModel", model.embeddings),
  };
  const absolute = (folder: string) => path.resolve(cwd, folder);
  const { extra, link_folders } = skills;
  const resolved: Config = {
    ...config,
    data: { ...data, folder: absolute(data.folder) },
    workspace: {
      skills: absolute(workspace.skills),
      flows: absolute(workspace.flows),
      agents: absolute(workspace.agents),
    },
    skills: { ...skills, extra: extra.map(absolute), link_folders: link_folders.map(absolute) },
    mcp: { ...mcp, file: absolute(mcp.file) },
    model: { ...model, choice, ...others },
  };
  return { config: resolved, choiceKey: auto?.key };
}

/** The usual model of the first provider with a key. A server at another address may lack it, except for built-in providers. */
function pickModel(model: Config["model"]): { choice: string; key: readonly string[] | undefined } {
  for (const { name, section, preset } of modelProviders(model).values()) {
    if (section.api_key === undefined || preset.defaultModel === undefined) continue;
    const isBuiltIn = name === "openai" || name === "anthropic";
    if (section.base_url !== undefined && !isBuiltIn) continue;
    return { choice: `${name}/${preset.defaultModel}`, key: [...providerPath(name), "api_key"] };
  }
  return { choice: "offline", key: undefined };
}

/** A file that repeats the default does not count as the source. The shipped file does so for every key. */
function sourcesOf(
  config: Config,
  layers: readonly Layer[],
  choiceKey: readonly string[] | undefined,
): ConfigSources {
  const defaults = layers[0];
  const keys = configKeys().flatMap((key) => [key, ...keysWithin(key, valueAt(config, key.path))]);
  const entries = keys.map(({ path: key }): [string, string] => {
    const dotted = key.join(".");
    const asked = dotted === "model.choice" && choiceKey !== undefined ? choiceKey : key;
    const layer = setter(layers, asked);
    const repeats =
      layer?.deliberate === true && sameJson(valueAt(layer.values, asked), valueAt(defaults?.values, asked));
    return [dotted, layer === undefined || repeats ? "default" : layer.source(asked)];
  });
  return Object.fromEntries(entries);
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
